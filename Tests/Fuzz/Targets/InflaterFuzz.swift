import Compression

/// Deflated messages: the output never exceeds the bound, a malformed message does not affect the next one, and a
/// deflated message inflates to itself. The first byte of an input chooses window and context.
struct InflaterFuzz: FuzzTarget {
    static let name = "Inflater"
    private static let bytesMax = 4096

    init() {}

    func check(_ input: [UInt8]) throws {
        guard let options = input.first else { return }
        let bytes = Array(input.dropFirst())
        let windowBits = 9 + Int(options & 7) % 7
        let keepsContext = options & 8 != 0
        let halves = [Array(bytes.prefix(bytes.count / 2)), Array(bytes.dropFirst(bytes.count / 2)), bytes]

        let hostile = Inflater(windowBits: windowBits, keepsContext: keepsContext)
        for payload in halves {
            guard let message = try? hostile.decompress(payload, bytesMax: Self.bytesMax) else { continue }
            try expect(message.count <= Self.bytesMax, "a message of \(message.count) bytes")
            let again = try? Inflater(windowBits: windowBits).decompress(payload, bytesMax: Self.bytesMax)
            if !keepsContext { try expect(again, equals: message, "after others") }
        }

        let deflater = Deflater(windowBits: windowBits, keepsContext: keepsContext)
        let inflater = keepsContext ? Inflater(windowBits: windowBits, keepsContext: true) : hostile
        for message in halves {
            let found = try? inflater.decompress(deflater.compress(message), bytesMax: message.count)
            try expect(found, equals: message, "deflated and inflated")
        }
    }
}
