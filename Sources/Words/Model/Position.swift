/// The place of a committed change in the server's one log: strictly increasing, at least 1, below 2^53.
///
/// `Position(0)` stands before the first change, so a fresh log has its head there.
///
/// - Confinement: any
package struct Position: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Where the log begins.
    package static let zero = Position(0)
    /// Above every possible position (2^53): JSON numbers are exact below it.
    package static let bound: Int64 = 1 << 53

    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package var description: String { String(value) }
    package var next: Position { Position(value &+ 1) }

    package static func < (left: Position, right: Position) -> Bool { left.value < right.value }
    /// As `Comparable` has it, which asks a table of functions for `<` each time, also for each delivery.
    package static func > (left: Position, right: Position) -> Bool { left.value > right.value }
}

/// The place of a message inside its chat: 1, 2, 3 … without gaps.
package typealias MessageNumber = Int64

/// The history of the log to which a position belongs: a new one begins whenever positions could have gone back (a
/// restored backup).
///
/// - Confinement: any
package struct Epoch: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// Nil unless 1 to 64 visible ASCII characters.
    package init?(_ text: String) {
        guard Identifier.isVisibleASCII(text, bytesMax: 64) else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// The client's own id of a write, unique per user: the idempotency key, `[\x21-\x7e]{1,64}`.
///
/// - Confinement: any
package struct WriteKey: Sendable, Hashable, CustomStringConvertible {
    /// The form of a key, for error messages.
    package static let form = "1 to 64 visible ASCII characters"

    package let text: String

    /// Nil unless 1 to 64 visible ASCII characters.
    package init?(_ text: String) {
        guard Identifier.isVisibleASCII(text, bytesMax: 64) else { return nil }
        self.text = text
    }

    package var description: String { text }
}
