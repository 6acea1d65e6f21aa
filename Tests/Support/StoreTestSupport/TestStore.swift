package import Model
package import Store
package import TestSupport

/// A database in a folder of its own, with its writer.
package final class TestStore {
    package let folder: TemporaryFolder
    package let directory: DataDirectory
    package let writer: Writer

    package init(in folder: TemporaryFolder = TemporaryFolder()) throws {
        self.folder = folder
        directory = try DataDirectory(folder.path)
        try EmptyDatabase.put(into: directory)
        writer = try Storage.openWriter(directory)
    }

    /// Commits one item and returns what it made.
    @discardableResult
    package func write<Value>(_ body: (WriteTransaction) throws -> Value) throws -> Value {
        let committed = try writer.commit([()]) { _, transaction in
            Result<Value, any Error>.success(try body(transaction))
        } refuse: {
            .failure($0)
        }
        return try committed.items[0].outcome.get()
    }

    package func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value { try writer.read(body) }

    /// A user made known now.
    package func user(_ name: String) throws -> StreamID {
        try write { try $0.users.findOrMake(try userID(name), at: $0.head) }
    }

    /// The user's row as it is now.
    package func entry(_ id: StreamID) throws -> UserEntry {
        guard let entry = try read({ try $0.users.find(id) }) else { throw Missing(what: "user \(id.value)") }
        return entry
    }
}

/// Something a test relies on is not there.
package struct Missing: Error {
    package let what: String

    package init(what: String) { self.what = what }
}

/// A refusal to go on, thrown on purpose.
package struct Failure: Error {
    package init() {}
}

package func userID(_ text: String) throws -> UserID {
    guard let id = UserID(text) else { throw Missing(what: "user id \(text)") }
    return id
}

package func topic(_ text: String) throws -> Topic {
    guard let topic = Topic(text) else { throw Missing(what: "topic \(text)") }
    return topic
}

/// A notification for the next position.
package func notification(
    at position: Position,
    in stream: StreamID,
    expires: Timestamp? = nil,
    collapse: String? = nil,
    trigger: String? = nil,
    change: Position? = nil,
    path: String? = nil,
    silence: Silence? = nil
) -> NotificationEntry {
    var entry = NotificationEntry(
        position: position,
        stream: stream,
        topic: "t:\(stream.value)",
        kind: "test",
        level: .active,
        texts: "{}",
        data: "{}",
        at: Timestamp(milliseconds: position.value),
        expires: expires,
        collapse: collapse
    )
    entry.trigger = trigger
    entry.change = change
    entry.path = path
    entry.silence = silence
    return entry
}

/// Deterministic bytes of an event: nothing here reads them.
package func event(_ position: Position) -> [UInt8] { Array("{\"seq\":\(position.value)}".utf8) }

extension WriteTransaction {
    /// Appends any bytes as an event.
    @discardableResult
    package func append(
        _ json: [UInt8], to stream: StreamID, and second: StreamID? = nil, isFollowed: Bool = false,
        recountsUnread: Bool = false, reach: PublicationReach? = nil
    ) throws -> Position {
        try append(
            EncodedEvent(.message, json: json), to: stream, and: second, isFollowed: isFollowed,
            recountsUnread: recountsUnread, reach: reach)
    }

    /// The same in a chat.
    package func append(
        _ json: [UInt8], chat: Int64, number: MessageNumber? = nil, to first: StreamID, and second: StreamID?
    ) throws -> Position {
        try append(EncodedEvent(.message, json: json), chat: chat, number: number, to: first, and: second)
    }
}
