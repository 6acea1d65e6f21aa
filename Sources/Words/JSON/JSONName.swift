/// The name of a member as a key of sets and dictionaries: its code points, in UTF-8.
///
/// A `String` would not do: strings are also equal when they only look the same (Unicode equivalence). The bytes are hashed
/// eight at a time, because an object from outside may have thousands of names, and hashing single bytes took a third of the
/// time in which such an object is read.
///
/// - Confinement: any
struct JSONName: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The name `text`.
    init(_ text: String) { bytes = Array(text.utf8) }

    /// The name at a string token.
    ///
    /// - Parameter text: the bytes from which the token was made.
    init(_ token: JSONToken, in text: [UInt8]) {
        bytes =
            token.isPlain
            ? Array(text[(token.range.lowerBound + 1)..<(token.range.upperBound - 1)])
            : Array(token.string(in: text).utf8)
    }

    func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index % 8 == 7 {
                hasher.combine(word)
                word = 0
            }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}
