import Crypto
import Digits
import JSON
import Testing

@testable import WatchWisePush

@Suite struct PushKeysTests {
    /// The example of RFC 8291, section 5 and appendix A.
    private static let body =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
        + "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
        + "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

    static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.url.decode(Array(text.utf8))) }

    static func ofTheExample() throws -> PushKeys {
        try PushKeys(bytes: bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94") + bytes("BTBZMqHH6r4Tts7J_aSIgg"))
    }

    @Test func `the example of RFC 8291 is opened`() throws {
        let keys = try Self.ofTheExample()
        #expect(
            keys.registration["p256dh"]?.stringValue
                == "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
        #expect(keys.registration["auth"]?.stringValue == "BTBZMqHH6r4Tts7J_aSIgg")
        let message = try #require(SealedMessage(Self.bytes(Self.body)))
        let plaintext = try #require(message.opened(with: keys))
        #expect(String(decoding: plaintext, as: UTF8.self) == "When I grow up, I want to be a watermelon")
    }

    @Test func `no changed byte is taken, and no other keys open it`() throws {
        let keys = try Self.ofTheExample()
        let sealed = try Self.bytes(Self.body)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            // A larger record size is no other content.
            if (16..<20).contains(place), let size = SealedMessage(changed) {
                #expect(size.opened(with: keys) != nil)
            } else {
                #expect(SealedMessage(changed)?.opened(with: keys) == nil, "byte \(place)")
            }
        }
        for count in 0..<sealed.count {
            #expect(SealedMessage(Array(sealed.prefix(count)))?.opened(with: keys) == nil, "\(count) bytes")
        }
        let message = try #require(SealedMessage(sealed))
        #expect(message.opened(with: try PushKeys()) == nil)
        let foreign = try PushKeys(bytes: keys.bytes.prefix(32) + Array(repeating: 0, count: 16))
        #expect(message.opened(with: foreign) == nil)
    }

    @Test(arguments: [0, 1, 2_400, 3_993])
    func `new keys open everything that the server seals to them`(count: Int) throws {
        let keys = try PushKeys()
        let registered = try DeviceKeys(
            p256dh: Self.bytes(#require(keys.registration["p256dh"]?.stringValue)),
            auth: Self.bytes(#require(keys.registration["auth"]?.stringValue)))
        // Also with bytes at its end that look like padding.
        for last: UInt8 in [0, 1, 2, 7] {
            let plaintext = Array(repeating: last, count: count)
            let message = try #require(SealedMessage(MessageSealing.seal(plaintext, for: registered)))
            #expect(message.opened(with: keys) == plaintext)
        }
    }

    @Test func `keys are kept as 48 bytes, and shown to nobody`() throws {
        let keys = try PushKeys()
        #expect(keys.bytes.count == 48)
        #expect(try PushKeys(bytes: keys.bytes) == keys)
        #expect(try PushKeys() != keys)
        #expect("\(keys)" == "PushKeys")
        #expect(Mirror(reflecting: keys).children.isEmpty)
    }

    @Test func `bytes that are not keys are refused with the reason`() {
        #expect(throws: PushError.keys("kept keys have 48 bytes, not 47")) {
            try PushKeys(bytes: Array(repeating: 1, count: 47))
        }
        // Zero and numbers from the order of the curve on are no private keys.
        for byte: UInt8 in [0, 0xFF] {
            #expect(throws: PushError.keys("the first 32 bytes are no private key of P-256")) {
                try PushKeys(bytes: Array(repeating: byte, count: 32) + Array(repeating: 1, count: 16))
            }
        }
    }
}
