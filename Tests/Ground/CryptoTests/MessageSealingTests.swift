import Digits
import Testing

@testable import Crypto

@Suite struct MessageSealingTests {
    /// The example of RFC 8291, section 5 and appendix A.
    private static let plaintext = Array("When I grow up, I want to be a watermelon".utf8)
    private static let devicePoint =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let deviceScalar = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    private static let deviceSecret = "BTBZMqHH6r4Tts7J_aSIgg"
    private static let point =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    private static let scalar = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    private static let agreed = "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"
    private static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
    private static let body =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
        + "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
        + "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

    private static func bytes(_ text: String) throws -> [UInt8] {
        try #require(Base64.url.decode(Array(text.utf8)))
    }

    private static func device() throws -> DeviceKeys {
        try DeviceKeys(p256dh: bytes(devicePoint), auth: bytes(deviceSecret))
    }

    @Test func `the example of RFC 8291 comes out byte for byte`() throws {
        let own = try AgreementKey(scalar: Self.bytes(Self.scalar))
        let salt = try Self.bytes(Self.salt)
        let body = try MessageSealing.seal(Self.plaintext, for: Self.device(), with: own, salt: salt)
        #expect(Base64.url.text(of: body) == Self.body)
    }

    @Test func `both ends agree on the secret of RFC 8291`() throws {
        let server = try AgreementKey(scalar: Self.bytes(Self.scalar))
        let device = try AgreementKey(scalar: Self.bytes(Self.deviceScalar))
        #expect(Base64.url.text(of: server.point) == Self.point)
        #expect(Base64.url.text(of: device.point) == Self.devicePoint)
        #expect(Base64.url.text(of: try server.secret(with: device.point)) == Self.agreed)
        #expect(Base64.url.text(of: try device.secret(with: server.point)) == Self.agreed)
    }

    @Test func `no two messages share a salt, a key or a byte of text`() throws {
        let device = try Self.device()
        let bodies = try (0..<50).map { _ in try MessageSealing.seal(Self.plaintext, for: device) }
        #expect(Set(bodies.map { $0[..<16] }).count == bodies.count)
        #expect(Set(bodies.map { $0[21..<86] }).count == bodies.count)
        #expect(Set(bodies.map { $0[86..<102] }).count == bodies.count)
        for body in bodies {
            #expect(body[16...20] == [0, 0, 16, 0, 65])
            #expect(throws: Never.self) { try DeviceKeys(p256dh: Array(body[21..<86]), auth: device.secret) }
        }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 3_992, 3_993])
    func `a body is longer by 103 bytes, and 4096 at most`(count: Int) throws {
        let body = try MessageSealing.seal(Array(repeating: 7, count: count), for: Self.device())
        #expect(body.count == count + MessageSealing.overheadBytes)
        #expect(body.count == count + 103)
        #expect(body.count <= 4096)
    }

    @Test func `a plaintext that cannot fit ends the program`() async {
        #expect(MessageSealing.plaintextBytesMax == 3_993)
        await #expect(processExitsWith: .failure) {
            _ = try MessageSealing.seal(Array(repeating: 7, count: 3_994), for: MessageSealingTests.device())
        }
    }

    @Test(arguments: [0, 1, 33, 64, 66, 97])
    func `a public key of the wrong length is refused by its field`(count: Int) throws {
        let problem = #expect(throws: DeviceKeys.Problem.self) {
            _ = try DeviceKeys(p256dh: Array(repeating: 4, count: count), auth: Self.bytes(Self.deviceSecret))
        }
        #expect(problem == .pointLength(count))
        #expect(problem?.field == "p256dh")
        #expect(problem?.description == "p256dh has \(count) bytes instead of 65")
    }

    @Test(arguments: [0, 1, 15, 17, 32])
    func `a secret of the wrong length is refused by its field`(count: Int) throws {
        let problem = #expect(throws: DeviceKeys.Problem.self) {
            _ = try DeviceKeys(p256dh: Self.bytes(Self.devicePoint), auth: Array(repeating: 4, count: count))
        }
        #expect(problem == .secretLength(count))
        #expect(problem?.field == "auth")
        #expect(problem?.description == "auth has \(count) bytes instead of 16")
    }

    /// 6 and 7 begin the "hybrid" form of a point, which OpenSSL reads.
    @Test(arguments: [0, 2, 3, 5, 6, 7, 255] as [UInt8])
    func `a point in another form is refused`(form: UInt8) throws {
        let point = try [form] + Self.bytes(Self.devicePoint).dropFirst()
        let problem = #expect(throws: DeviceKeys.Problem.pointForm(form)) {
            _ = try DeviceKeys(p256dh: point, auth: Self.bytes(Self.deviceSecret))
        }
        #expect(problem?.description.hasPrefix("p256dh begins with \(form) instead of 4") == true)
    }

    @Test func `a point off the curve is refused, wherever the bit was turned`() throws {
        let good = try Self.bytes(Self.devicePoint)
        let turned = (8..<520).map { bit -> [UInt8] in
            var point = good
            point[bit / 8] ^= 1 << UInt8(bit % 8)
            return point
        }
        let others = [[4] + Array(repeating: 0, count: 64), [4] + Array(repeating: 255, count: 64)] as [[UInt8]]
        let own = try AgreementKey()
        for point in turned + others {
            let problem = #expect(throws: DeviceKeys.Problem.self) {
                _ = try DeviceKeys(p256dh: point, auth: Self.bytes(Self.deviceSecret))
            }
            guard case .pointRefused = problem else {
                Issue.record("\(String(describing: problem))")
                return
            }
            #expect(problem?.description.hasPrefix("p256dh is not a point of P-256: ") == true)
            #expect(throws: TLSError.self) { _ = try own.secret(with: point) }
        }
    }

    @Test func `a device's secret does not show itself`() throws {
        let keys = try Self.device()
        var dumped = ""
        dump(keys, to: &dumped)
        #expect(dumped + "\(keys)" + String(reflecting: keys) == "- DeviceKeys\nDeviceKeysDeviceKeys")
    }
}

@Suite struct AESGCMTests {
    private let key = [UInt8](0..<16)
    private let nonce = [UInt8](0..<12)

    /// Test case 2 of "The Galois/Counter Mode of Operation" (McGrew, Viega), appendix B.
    @Test func `the published values come out`() throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        let sealed = try AESGCM.seal(zeros, key: zeros, nonce: Array(zeros.prefix(12)))
        #expect(
            String(decoding: Hexadecimal.encode(sealed), as: UTF8.self)
                == "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf")
    }

    @Test(arguments: [0, 1, 16, 1000])
    func `a sealed message is opened, and a message with a changed byte is refused`(count: Int) throws {
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = try AESGCM.seal(plaintext, key: key, nonce: nonce)
        #expect(AESGCM.open(sealed, key: key, nonce: nonce) == plaintext)
        #expect(AESGCM.open(sealed, key: key, nonce: nonce.reversed()) == nil)
        #expect(AESGCM.open(sealed, key: key.reversed(), nonce: nonce) == nil)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 0x80
            #expect(AESGCM.open(changed, key: key, nonce: nonce) == nil)
        }
        #expect(AESGCM.open(Array(sealed.dropLast()), key: key, nonce: nonce) == nil)
    }
}
