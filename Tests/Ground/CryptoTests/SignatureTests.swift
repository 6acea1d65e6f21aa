import Crypto
import Files
import TestSupport
import Testing

@Suite struct SignatureTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `a public key verifies what its private key signs, and no other key does`(algorithm: SignatureAlgorithm) throws
    {
        let key = try SigningKey(algorithm)
        #expect(key.algorithm == algorithm)
        let verifier = try VerificationKey(key.publicKey)
        #expect(verifier.algorithm == algorithm)
        for message in [[], Array("message".utf8), Array(repeating: 7, count: 100_000)] as [[UInt8]] {
            let signature = try key.sign(message)
            #expect(signature.count == (algorithm == .rs256 ? 256 : 64))
            #expect(verifier.verifies(signature, of: message))
            #expect(!verifier.verifies(signature, of: message + [0]))
            #expect(!verifier.verifies(signature + [0], of: message))
            #expect(!verifier.verifies(Array(signature.dropLast()), of: message))
            #expect(!verifier.verifies([], of: message))
            let stranger = try VerificationKey(SigningKey(algorithm).publicKey)
            #expect(!stranger.verifies(signature, of: message))
        }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `every changed bit of a signature is refused`(algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey(algorithm)
        let verifier = try VerificationKey(key.publicKey)
        let signature = try key.sign([1, 2, 3])
        for index in signature.indices {
            for bit in 0..<8 {
                var changed = signature
                changed[index] ^= 1 << UInt8(bit)
                #expect(!verifier.verifies(changed, of: [1, 2, 3]))
            }
        }
    }

    /// The order of P-256.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
        0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    @Test func `a key of P-256 is stored as its number and made of it again`() throws {
        for _ in 0..<20 {
            let key = try SigningKey(.es256)
            let scalar = try #require(key.scalar)
            #expect(scalar.count == 32)
            let same = try SigningKey(scalar: scalar)
            #expect(same.publicKey == key.publicKey)
            #expect(same.scalar == scalar)
            #expect(try VerificationKey(key.publicKey).verifies(same.sign([1]), of: [1]))
        }
        #expect(try SigningKey(.rs256).scalar == nil)
        #expect(try SigningKey(.edDSA).scalar == nil)
    }

    @Test func `the number one gives the generator of P-256, the last number its mirror image`() throws {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let key = try SigningKey(scalar: one)
        #expect(key.scalar == one)
        let point = try #require(key.publicKey.point)
        #expect(point.count == 65)
        #expect(point[..<6] == [4, 0x6B, 0x17, 0xD1, 0xF2, 0xE1])
        let last = try SigningKey(scalar: Self.order.dropLast() + [0x50])
        #expect(last.publicKey.point?[1...32] == point[1...32])
        #expect(last.publicKey.point?[33...] != point[33...])
        #expect(try SigningKey(.rs256).publicKey.point == nil)
        #expect(try SigningKey(.edDSA).publicKey.point == nil)
    }

    @Test(
        arguments: [
            [], [1], [UInt8](repeating: 1, count: 31), [UInt8](repeating: 1, count: 33),
            [UInt8](repeating: 0, count: 32),
            order, order.dropLast() + [0x52], [UInt8](repeating: 0xFF, count: 32),
        ] as [[UInt8]])
    func `a number that is not a key of P-256 is refused`(scalar: [UInt8]) {
        #expect(throws: TLSError.self) { _ = try SigningKey(scalar: scalar) }
    }

    /// CVE-2022-21449: with both numbers zero some verifiers accept anything.
    @Test func `a signature of zeros is refused`() throws {
        let verifier = try VerificationKey(SigningKey(.es256).publicKey)
        let order = Self.order
        let zero = [UInt8](repeating: 0, count: 32)
        for signature in [zero + zero, order + order, zero + order, order + zero] {
            #expect(!verifier.verifies(signature, of: [1]))
        }
        #expect(try !VerificationKey(SigningKey(.edDSA).publicKey).verifies(zero + zero, of: [1]))
        #expect(try !VerificationKey(SigningKey(.rs256).publicKey).verifies(Array(repeating: 0, count: 256), of: [1]))
    }

    @Test func `numbers that are not a key are refused with their fault`() throws {
        let zeros = [UInt8](repeating: 0, count: 32)
        #expect(throws: VerificationKey.Problem.length(31)) {
            _ = try VerificationKey(.p256(x: Array(zeros.dropLast()), y: zeros))
        }
        #expect(throws: VerificationKey.Problem.length(33)) { _ = try VerificationKey(.p256(x: zeros, y: zeros + [0])) }
        #expect(throws: VerificationKey.Problem.length(0)) { _ = try VerificationKey(.ed25519([])) }
        let error = #expect(throws: VerificationKey.Problem.self) { _ = try VerificationKey(.p256(x: zeros, y: zeros)) }
        guard case .refused = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        arguments: [
            ([], [1, 0, 1], .modulusBits(0)), (odd(127), [1, 0, 1], .modulusBits(1016)),
            (odd(255), [1, 0, 1], .modulusBits(2040)), (odd(1025), [1, 0, 1], .modulusBits(8200)),
            ([0] + odd(255), [1, 0, 1], .modulusBits(2040)), (odd(256).dropLast() + [2], [1, 0, 1], .modulusEven),
            (odd(256), [], .exponentInvalid), (odd(256), [1], .exponentInvalid), (odd(256), [0], .exponentInvalid),
            (odd(256), [2], .exponentInvalid), (odd(256), [0, 1], .exponentInvalid),
            (odd(256), odd(9), .exponentInvalid),
        ] as [([UInt8], [UInt8], VerificationKey.Problem)])
    func `an RSA key that proves nothing or costs too much is refused`(
        modulus: [UInt8],
        exponent: [UInt8],
        problem: VerificationKey.Problem
    ) {
        #expect(throws: problem) { _ = try VerificationKey(.rsa(modulus: modulus, exponent: exponent)) }
    }

    @Test func `zeros before an RSA key's numbers change nothing`() throws {
        let key = try SigningKey(.rs256)
        guard case .rsa(let modulus, let exponent) = key.publicKey else {
            Issue.record("\(key.publicKey)")
            return
        }
        let verifier = try VerificationKey(.rsa(modulus: [0] + modulus, exponent: [0, 0] + exponent))
        #expect(verifier.verifies(try key.sign([1]), of: [1]))
    }

    @Test(
        .enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)),
        arguments: [("ec", .es256), ("rsa", .rs256), ("ed25519", .edDSA), ("encrypted", nil), ("text", nil)]
            as [(String, SignatureAlgorithm?)]
    )
    func `a key in PEM form is read, an encrypted one is not`(name: String, algorithm: SignatureAlgorithm?) throws {
        let path = try #require(Certificates.made).key(name)
        let text = try ReadableFile(path: path).read(bytesMax: 10_000).bytes
        guard let algorithm else {
            #expect(throws: TLSError.self) { _ = try SigningKey(pem: text) }
            return
        }
        let key = try SigningKey(pem: text)
        #expect(key.algorithm == algorithm)
        #expect(try VerificationKey(key.publicKey).verifies(key.sign([9]), of: [9]))
        #expect("\(key)" == "SigningKey(\(algorithm.rawValue))")
    }
}

/// An odd number with this number of bytes, all bits set.
private func odd(_ count: Int) -> [UInt8] { Array(repeating: 0xFF, count: count) }
