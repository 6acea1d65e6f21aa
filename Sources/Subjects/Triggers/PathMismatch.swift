package import Model

/// The first place where a path differs from a pattern.
///
/// - Confinement: any
package struct PathMismatch: Sendable, Hashable {
    /// The number of the collection or id, counted from 1 over both; nil when the path has another number of them.
    package let segment: Int?
    /// The pattern's text at that place.
    package let expected: String
    /// The path's text at that place.
    package let found: String

    /// A sentence for people.
    package var message: String {
        guard let segment else { return "the pattern has \(expected), the path \(found)" }
        return "part \(segment) of the path is '\(found)', the pattern has '\(expected)'"
    }
}

extension PathPattern {
    /// The first place where `path` differs from the pattern; nil when it matches.
    package func mismatch(with path: DocumentPath) -> PathMismatch? {
        for (index, (level, actual)) in zip(levels, path.levels).enumerated() {
            if level.collection != actual.collection {
                return PathMismatch(segment: index * 2 + 1, expected: level.collection, found: actual.collection)
            }
            if case .literal(let id) = level.id, id != actual.id {
                return PathMismatch(segment: index * 2 + 2, expected: id, found: actual.id)
            }
        }
        guard levels.count != path.levels.count else { return nil }
        return PathMismatch(
            segment: nil,
            expected: Self.counted(levels.count),
            found: Self.counted(path.levels.count)
        )
    }

    private static func counted(_ count: Int) -> String {
        "\(count) \(count == 1 ? "level" : "levels") of collection and id"
    }
}
