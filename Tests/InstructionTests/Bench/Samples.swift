import ClientProtocol
import Model

/// Commands and events of normal size.
enum Samples {
    /// The time of all events here.
    static let now = Timestamp(milliseconds: 1_795_255_200_123)

    static let hello =
        #"{"id":1,"type":"hello","token":"\#(String(repeating: "tokenof200", count: 20))","#
        + #""device":"phone-1","since":{"epoch":"e-6f2a91c4","seq":4711},"locale":"it","client":"ios/2.1"}"#
    static let send =
        #"{"id":4711,"type":"send","chat":"alice:bob","#
        + #""text":"Did you see what they made of the second part?","key":"c1f0a2b3c4d5e6f7"}"#
    static let recommend =
        #"{"id":4712,"type":"recommend","to":"bob","product":{"id":"movie/693134","#
        + #""title":"Dune: Part Two","year":2024,"poster":"https://example.org/p/1pdfLvkbY9ohJlCjQH2CZjjYVvJ.jpg"},"#
        + #""note":"for your long evening","key":"c1f0a2b3c4d5e6f8"}"#
    static let ack = #"{"type":"ack","seq":123456}"#
    static let document =
        #"{"title":"Dune: Part Two","job":"Director","year":2024,"popular":83.25,"adult":false,"#
        + #""genres":["Science Fiction","Adventure"],"seen":{"by":"nobody"}}"#
    static let put =
        #"{"id":4713,"type":"put","path":"people/525/credits/movie-693134","data":\#(document),"#
        + #""key":"c1f0a2b3c4d5e6f9"}"#

    static func user(_ name: String) throws -> UserID {
        guard let user = UserID(name) else { throw Mistake("\(name) is no user") }
        return user
    }

    static func message() throws -> ChatMessage {
        guard let chat = ChatID("alice:bob") else { throw Mistake("alice:bob is no chat") }
        return ChatMessage(
            chat: chat, n: 12, from: try user("alice"), at: now, key: WriteKey("c1f0a2b3c4d5e6f7"),
            text: "Did you see what they made of the second part?")
    }

    static func notification(body: String) -> [UInt8] {
        var notification = NotificationBody(
            id: "n-123456", kind: "release", level: .active, title: "Denis Villeneuve", body: body,
            data: Array(#"{"product":"movie/693134","person":"525"}"#.utf8), topic: "person:525", at: now)
        notification.collapse = "release-693134"
        return Event.notification(seq: Position(123_456), notification).json
    }
}
