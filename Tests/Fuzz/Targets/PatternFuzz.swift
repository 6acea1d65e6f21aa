import JSON
import Model
import Triggers

/// Path patterns and audiences of triggers. The lines of an input are a pattern, an audience over its names, a path,
/// and a document. A pattern matches the path made from it, with the same values; a path that matches gives a value to
/// each name.
struct PatternFuzz: FuzzTarget {
    static let name = "Pattern"

    init() {}

    func check(_ input: [UInt8]) throws {
        let lines = lines(input, atMost: 4)
        guard lines.count == 4 else { return }
        guard let pattern = try? PathPattern(lines[0]) else { return }
        try expect(pattern.text, equals: lines[0], "text")
        let path = pattern.levels.map { level in
            switch level.id {
            case .literal(let id): "\(level.collection)/\(id)"
            case .name(let name): "\(level.collection)/\(name)"
            }
        }.joined(separator: "/")
        // A name such as movie or tv would take the next segment.
        if let made = try? DocumentPath(path), made.levels.count == pattern.levels.count,
            DocumentLimits.compoundIDPrefixes.isDisjoint(with: pattern.names)
        {
            try expect(pattern.match(made), equals: pattern.names, "a path made of the pattern")
        }
        var names: [String: String] = [:]
        if let other = try? DocumentPath(lines[2]), let values = pattern.match(other) {
            try expect(values.count, equals: pattern.names.count, "names and values")
            names = Dictionary(zip(pattern.names, values)) { first, _ in first }
        }
        let document = try? JSONValue(parsing: Array(lines[3].utf8))
        for event in WatchedEvent.allCases {
            guard let audience = try? AudiencePattern(lines[1], names: pattern.names, event: event) else { continue }
            try expect(audience.text, equals: lines[1], "text")
            _ = try? audience.resolve(names: names, before: document, after: document)
            _ = try? audience.resolve(names: names, before: nil, after: document)
        }
    }
}
