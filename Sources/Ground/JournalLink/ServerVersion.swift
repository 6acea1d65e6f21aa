/// The version of a NATS server: three numbers, and whether it is a version before the release (`2.15.0-RC.1`).
/// - Confinement: any
package struct ServerVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The first version whose repairs of Raft the journal needs, and which flushes as the journal needs it.
    package static let oldest = ServerVersion(2, 14, 5)

    private let numbers: [Int]
    /// The text after the numbers; empty for a release.
    private let suffix: String

    /// Makes the version of a release.
    package init(_ major: Int, _ minor: Int, _ patch: Int) {
        numbers = [major, minor, patch]
        suffix = ""
    }

    /// Reads `2.15.1` or `2.15.0-RC.1`.
    /// - Returns: nil for another form.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
        let read = numbers.compactMap { part in part.allSatisfy(\.isASCIIDigit) ? Int(part) : nil }
        guard read.count == 3, numbers.count == 3 else { return nil }
        self.numbers = read
        suffix = parts.count > 1 ? String(parts[1]) : ""
    }

    package static func < (left: Self, right: Self) -> Bool {
        for (one, other) in zip(left.numbers, right.numbers) where one != other { return one < other }
        return !left.suffix.isEmpty && right.suffix.isEmpty
    }

    /// As the server writes it.
    package var description: String {
        numbers.map(String.init).joined(separator: ".") + (suffix.isEmpty ? "" : "-" + suffix)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { "0"..."9" ~= self }
}
