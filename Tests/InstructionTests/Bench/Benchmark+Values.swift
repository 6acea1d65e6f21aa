import Authentication
import ClientProtocol
import Compression
import JSON
import Model
import Services
import Wire

/// Paths that are one call of a module without input and output.
extension Benchmark {
    static let decoding = [
        decode("decode-hello", Samples.hello),
        decode("decode-send", Samples.send),
        decode("decode-recommend", Samples.recommend),
        decode("decode-ack", Samples.ack),
        decode("decode-put", Samples.put),
        calling("read-document", of: "document", "the strict reader makes a tree of a document of 150 bytes") {
            let bytes = Array(Samples.document.utf8)
            return { try JSONValue(parsing: bytes)["title"]?.stringValue?.utf8.count ?? 0 }
        },
    ]

    private static func decode(_ name: String, _ text: String) -> Benchmark {
        calling(name, of: "command", "the bytes of a command, \(text.utf8.count) of them, become its work") {
            let bytes = Array(text.utf8)
            return {
                guard case .success(let envelope) = CommandEnvelope.decode(bytes) else {
                    throw Mistake("the command was refused")
                }
                return envelope.weight + envelope.heldBytes
            }
        }
    }

    static let framing = [
        calling("frame-decode", of: "frame", "a masked text frame, read whole, becomes a message") {
            var frame: [UInt8] = []
            FrameEncoder.append(.text, Array(Samples.send.utf8), maskingKey: 0x37fa_213d, to: &frame)
            var connection = WebSocketConnection(role: .server, messageBytesMax: Limits.messageBytesMax)
            var events: [WebSocketEvent] = []
            return {
                events.removeAll(keepingCapacity: true)
                connection.receive(frame, into: &events)
                guard case .text(let text) = events.first else { throw Mistake("no text came") }
                return text.count
            }
        },
        calling("frame-encode", of: "frame", "a message becomes a frame for any number of sockets") {
            let message = Array(Samples.send.utf8)
            return { FrameEncoder.text(message).count }
        },
        calling("deflate", of: "message", "an event of 300 bytes is deflated, by itself, to be shared") {
            let deflater = Deflater()
            let message = Samples.notification(body: String(repeating: "one more word, ", count: 10))
            return { deflater.compress(message).count }
        },
    ]

    static let encoding = [
        calling("encode-message", of: "event", "a chat's message becomes an event") {
            let message = try Samples.message()
            return { Event.message(seq: Position(123_456), message).json.count }
        },
        calling("encode-notification", of: "event", "a notification becomes an event") {
            { Samples.notification(body: "Dune: Part Two is out").count }
        },
        calling("reply-ok", of: "reply", "the answer to a send, its body encoded already") {
            let id = RequestID(4711)
            let body = Array(#"{"chat":"alice:bob","n":12,"seq":123456,"at":"2026-11-21T10:00:00.123Z"}"#.utf8)
            return { Reply.ok(re: id, encoded: body).count }
        },
    ]

    static let tokens = [
        calling("verify-token", of: "token", "one of the server's own tokens is verified") {
            let secret = try ServerSecret()
            let verifier = TokenVerifier(secret: secret)
            let claims = Claims(
                subject: try Samples.user("alice"), expiresAt: Samples.now.adding(milliseconds: 600_000))
            let token = JSONWebToken.sign(claims, issuedAt: Samples.now, with: secret)
            return { try verifier.verify(token, at: Samples.now).subject.text.utf8.count }
        }
    ]
}
