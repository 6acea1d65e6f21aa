import JSON

/// The names of the members that a command may have. Each message is held against them, so they are compared as numbers.
///
/// - Confinement: any
struct KnownNames: Sendable {
    private let names: [String]
    private let keys: [UInt64]

    init(_ names: [String]) {
        self.names = names
        keys = names.map { Self.key(of: Array($0.utf8), from: 0, count: $0.utf8.count) }
    }

    /// Whether a name of a message is among them.
    func contains(_ name: JSONToken, in bytes: [UInt8]) -> Bool {
        guard name.isPlain else { return names.contains { name.isText($0, in: bytes) } }
        let count = name.range.count - 2
        let key = Self.key(of: bytes, from: name.range.lowerBound + 1, count: count)
        for index in keys.indices where keys[index] == key {
            if count <= Self.keyBytesMax || name.isText(names[index], in: bytes) { return true }
        }
        return false
    }

    /// The bytes of a name that are in its number, beside its length.
    private static var keyBytesMax: Int { 7 }

    private static func key(of bytes: [UInt8], from start: Int, count: Int) -> UInt64 {
        var key = UInt64(min(count, 255))
        for index in start..<start + min(count, keyBytesMax) { key = key << 8 | UInt64(bytes[index]) }
        return key
    }
}
