import Model
import Store

/// A digest of a write's content (FNV-1a, 64 bits), kept with its key to tell a repetition from a reuse.
///
/// It is not a defence: a user who finds a collision harms nobody else.
///
/// - Confinement: any
package struct Fingerprint {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// The digest, as the database keeps it.
    package var value: Int64 { Int64(bitPattern: state) }

    /// Adds a text and its end, so that `ab`, `c` differs from `a`, `bc`.
    package mutating func add(_ text: String) {
        let bytes = text.utf8.span
        for index in bytes.indices { add(byte: bytes[index]) }
        add(byte: 0xff)
    }

    /// Adds a text that may be absent. An absent text differs from an empty one.
    package mutating func add(_ text: String?) {
        add(byte: text == nil ? 0xfe : 0xfd)
        if let text { add(text) }
    }

    /// Adds a number that may be absent, by its decimal digits.
    package mutating func add(_ number: Int64?) {
        add(number.map { String($0) })
    }

    private mutating func add(byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
}
