package import JSON

/// Messages of a server, for clients that are tested without one.
package enum PlayedServer {
    /// The answer to `hello`.
    package static func helloBody(seq: Int64, epoch: String = "e-1") -> JSONValue {
        [
            "user": "alice", "device": "phone", "epoch": .string(epoch), "seq": .integer(seq), "heartbeat": 25_000,
            "limits": ["messageBytes": 131_072, "commandsPerSecond": 1_000],
            "unread": ["chats": 2, "notifications": 5], "server": "watchwise",
        ]
    }

    /// A message in a chat.
    package static func message(_ seq: Int64) -> JSONValue {
        ["seq": .integer(seq), "type": "message", "chat": "alice:bob", "n": 1, "from": "bob", "text": "hi"]
    }
}
