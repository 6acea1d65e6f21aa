import JSON
import Model
import Session
import Testing

@testable import ClientProtocol

@Suite struct ClientCommandTests {
    @Test func `a command carries its id, its type and its fields`() throws {
        let command = try anyWrite("k")
        #expect(
            String(decoding: command.encoded(id: 7), as: UTF8.self)
                == #"{"id":7,"type":"send","to":"bob","text":"hi","key":"k"}"#
        )
        #expect(
            String(decoding: ClientCommand(PingCommand.self).encoded(id: nil), as: UTF8.self) == #"{"type":"ping"}"#
        )
    }

    @Test func `the made commands are what the server reads`() throws {
        let bob = try #require(UserID("bob"))
        let chat = try #require(ChatID("alice:bob"))
        let key = try #require(WriteKey("k"))
        let product = try #require(Product(id: "movie/603", title: "The Matrix", year: 1999))
        let topic = Topic(user: bob)
        #expect(
            try read(.send("hi", in: chat, key: key)) == SendCommand(recipient: .chat(chat), text: "hi", key: key)
        )
        #expect(try read(.send("hi", to: bob, key: key)) == SendCommand(recipient: .user(bob), text: "hi", key: key))
        #expect(
            try read(.recommend(product, to: bob, note: "!", key: key))
                == RecommendCommand(to: bob, product: product, note: "!", key: key)
        )
        #expect(try read(.read(chat, upTo: 4)) == ReadCommand(chat: chat, n: 4))
        #expect(try read(.follow(topic, key: key)) == FollowCommand(topic: topic, key: key))
        #expect(try read(.unfollow(topic)) == UnfollowCommand(topic: topic))
        #expect(try read(.chats(before: "x", limit: 9)) == ChatsCommand(before: "x", limit: 9))
        #expect(try read(.notifications(limit: 9)) == NotificationsCommand(limit: 9))
        #expect(try read(.history(chat, after: 0, limit: 9)) == HistoryCommand(chat: chat, after: 0, limit: 9))
    }

    private func read<Kind: Command>(_ command: ClientCommand) throws -> Kind {
        let message = try CommandMessage(command.encoded(id: 7))
        #expect(message.id == RequestID(7))
        return try #require(try CommandTable.types[message.place].init(message.fields) as? Kind)
    }
}
