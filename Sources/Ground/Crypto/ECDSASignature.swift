/// An ECDSA signature of P-256 in its two forms: joined (RFC 7518, section 3.4) and DER (RFC 3279, section 2.2.3).
/// - Confinement: any
struct ECDSASignature: Hashable {
    private static let numberBytes = 32
    /// Both numbers, big-endian, 64 bytes.
    let joined: [UInt8]

    /// Takes the joined form.
    /// - Returns: nil unless there are 64 bytes.
    init?(joined: [UInt8]) {
        guard joined.count == 2 * ECDSASignature.numberBytes else { return nil }
        self.joined = joined
    }

    /// Takes the form that OpenSSL makes: a sequence of two integers, each length in one byte.
    /// - Returns: nil for anything else.
    init?(der: [UInt8]) {
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        var joined: [UInt8] = []
        for _ in 0..<2 {
            guard rest.popFirst() == 0x02, let size = rest.popFirst(), Int(size) <= rest.count else { return nil }
            let number = rest.prefix(Int(size)).drop { $0 == 0 }
            guard number.count <= ECDSASignature.numberBytes else { return nil }
            joined += [UInt8](repeating: 0, count: ECDSASignature.numberBytes - number.count) + number
            rest = rest.dropFirst(Int(size))
        }
        guard rest.isEmpty else { return nil }
        self.joined = joined
    }

    /// The form OpenSSL checks.
    var der: [UInt8] {
        let numbers = [joined[..<ECDSASignature.numberBytes], joined[ECDSASignature.numberBytes...]]
        let content = numbers.flatMap { number -> [UInt8] in
            var bytes = Array(number.drop { $0 == 0 })
            // A leading one bit would mean "negative"; zero is one zero byte.
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [0x02, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(content.count)] + content
    }
}
