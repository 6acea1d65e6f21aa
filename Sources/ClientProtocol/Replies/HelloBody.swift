package import JSON
package import Model

/// What the server tells a session that has begun: the `ok` of `hello` (protocol.md, section 4).
///
/// - Confinement: any
package struct HelloBody: Sendable, Hashable {
    package var user: UserID
    package var device: String?
    package var epoch: Epoch
    /// The head of the log.
    package var seq: Position
    /// Milliseconds of silence after which the server sends a beat.
    package var heartbeatMilliseconds: Int64
    package var messageBytes: Int
    package var commandsPerSecond: Int
    package var unread: UnreadCounts
    /// Name and version of the server.
    package var server: String

    package init(
        user: UserID,
        device: String?,
        epoch: Epoch,
        seq: Position,
        heartbeatMilliseconds: Int64 = Limits.heartbeatMilliseconds,
        messageBytes: Int = Limits.messageBytesMax,
        commandsPerSecond: Int = Limits.commandsPerSecond,
        unread: UnreadCounts,
        server: String
    ) {
        self.user = user
        self.device = device
        self.epoch = epoch
        self.seq = seq
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.messageBytes = messageBytes
        self.commandsPerSecond = commandsPerSecond
        self.unread = unread
        self.server = server
    }

    /// Writes the members of the `ok` object.
    package func write(to writer: inout JSONWriter) {
        writer.member("user", user.text)
        if let device { writer.member("device", device) }
        writer.member("epoch", epoch.text)
        writer.member("seq", seq.value)
        writer.member("heartbeat", heartbeatMilliseconds)
        writer.name("limits")
        writer.beginObject()
        writer.member("messageBytes", messageBytes)
        writer.member("commandsPerSecond", commandsPerSecond)
        writer.endObject()
        writer.name("unread")
        writer.beginObject()
        unread.write(to: &writer)
        writer.endObject()
        writer.member("server", server)
    }
}

/// How much is unread, in all: absolute, and computed by the server; nobody adds.
///
/// - Confinement: any
package struct UnreadCounts: Sendable, Hashable {
    /// Chats with something unread.
    package var chats: Int
    package var notifications: Int

    package init(chats: Int, notifications: Int) {
        self.chats = chats
        self.notifications = notifications
    }

    /// Writes the members `chats` and `notifications`.
    package func write(to writer: inout JSONWriter) {
        writer.member("chats", chats)
        writer.member("notifications", notifications)
    }
}
