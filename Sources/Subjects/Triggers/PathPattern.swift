package import Model

/// Which documents a trigger watches: `people/{person}/credits/{product}`.
///
/// A level is a collection, which is always named, and an id. The id is literal, or a `{name}` that matches a whole id,
/// also one of two parts (`movie/603`). Names are identifiers, since they become columns in the condition.
///
/// - Confinement: any
package struct PathPattern: Sendable, Hashable {
    /// The id of a level.
    package enum ID: Sendable, Hashable {
        case literal(String)
        case name(String)
    }

    /// A collection and the id that it must have.
    package struct Level: Sendable, Hashable {
        package let collection: String
        package let id: ID
    }

    /// Words with another meaning where names are allowed.
    static let reserved: Set<String> = ["before", "after", "now"]

    /// The pattern as it was written.
    package let text: String
    package let levels: [Level]
    /// The names in their order in the path.
    package let names: [String]

    /// Reads a pattern.
    ///
    /// - Throws: ``PatternProblem`` with the place.
    package init(_ text: String) throws(PatternProblem) {
        guard !text.isEmpty else { throw PatternProblem("a path pattern is collection/{name}; this one is empty") }
        let segments = try PatternSegment.all(of: text)
        var levels: [Level] = []
        var names: [String] = []
        var index = 0
        while index < segments.count {
            let collection = try segments[index].collection()
            guard index + 1 < segments.count else {
                throw PatternProblem(
                    "'\(collection)' is a collection without an id after it; write \(text)/{id}",
                    character: segments[index].character
                )
            }
            let (id, taken) = try PatternSegment.id(at: index + 1, of: segments)
            if case .name(let name) = id {
                do {
                    try Self.check(name, against: names)
                } catch { throw PatternProblem(error.reason, character: segments[index + 1].character) }
                names.append(name)
            }
            levels.append(Level(collection: collection, id: id))
            index += 1 + taken
        }
        do { _ = try DocumentPath(Self.example(of: levels)) } catch { throw PatternProblem(error.message) }
        self.text = text
        self.levels = levels
        self.names = names
    }

    /// A path that the pattern matches, for the checks that ``Model/DocumentPath`` makes.
    private static func example(of levels: [Level]) -> String {
        levels.map { level in
            switch level.id {
            case .literal(let id): "\(level.collection)/\(id)"
            case .name: "\(level.collection)/x"
            }
        }.joined(separator: "/")
    }

    /// Checks whether a name may be a column beside others.
    ///
    /// - Throws: ``PatternProblem`` without a place.
    static func check(_ name: String, against names: [String]) throws(PatternProblem) {
        guard Self.isIdentifier(name) else {
            throw PatternProblem("{\(name)} is not a name: a letter or _, then letters, digits or _, 64 at most")
        }
        let folded = name.lowercased()
        guard !reserved.contains(folded) else {
            throw PatternProblem("{\(name)} has a meaning of its own; choose another name")
        }
        guard !names.contains(where: { $0.lowercased() == folded }) else {
            throw PatternProblem("{\(name)} is there twice")
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 64, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
        }
    }

    /// The values of the names in `path`, in the order of ``names``; nil when the pattern does not match.
    package func match(_ path: DocumentPath) -> [String]? {
        guard path.levels.count == levels.count else { return nil }
        var values: [String] = []
        for (level, actual) in zip(levels, path.levels) {
            guard level.collection == actual.collection else { return nil }
            switch level.id {
            case .literal(let id): guard id == actual.id else { return nil }
            case .name: values.append(actual.id)
            }
        }
        return values
    }
}
