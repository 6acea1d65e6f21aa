package import JSON
package import Model

/// The `ok` of `hello`, for a session that has begun (see Commands.md).
///
/// - Confinement: any
package struct HelloBody: Sendable, Hashable {
    package var user: UserID
    package var device: String?
    /// The id of the session.
    package var session: String?
    package var epoch: Epoch
    /// The head of the log.
    package var seq: Position
    /// Milliseconds of silence after which the server sends a beat.
    package var heartbeatMilliseconds: Int64
    package var unread: UnreadCounts
    /// Name and version of the server.
    package var server: String
    /// The server's time.
    package var time: Timestamp
    /// The server's public key for Web Push, in base64url; nil when it sends no pushes to browsers.
    package var webPushKey: String?

    package init(
        user: UserID,
        device: String?,
        session: String? = nil,
        epoch: Epoch,
        seq: Position,
        heartbeatMilliseconds: Int64,
        unread: UnreadCounts,
        server: String,
        time: Timestamp,
        webPushKey: String? = nil
    ) {
        self.user = user
        self.device = device
        self.session = session
        self.epoch = epoch
        self.seq = seq
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.unread = unread
        self.server = server
        self.time = time
        self.webPushKey = webPushKey
    }

    /// Writes the members of the `ok` object.
    package func write(to writer: inout JSONWriter) {
        writer.member("user", user.text)
        if let device { writer.member("device", device) }
        if let session { writer.member("session", session) }
        writer.member("epoch", epoch.text)
        writer.member("seq", seq.value)
        writer.member("heartbeat", heartbeatMilliseconds)
        writer.name("limits")
        writer.beginObject()
        writer.member("messageBytes", Limits.messageBytesMax)
        writer.member("commandsPerSecond", Limits.commandsPerSecond)
        // The number of topics that a user may follow.
        writer.member("follows", Limits.followsMax)
        writer.endObject()
        writer.name("unread")
        writer.beginObject()
        unread.write(to: &writer)
        writer.endObject()
        writer.member("server", server)
        writer.member("time", time)
        if let webPushKey {
            writer.name("push")
            writer.beginObject()
            writer.member("webpush", webPushKey)
            writer.endObject()
        }
    }
}

extension UnreadCounts {
    /// Writes the members `chats` and `notifications` into the object that is open.
    package func write(to writer: inout JSONWriter) {
        writer.member("chats", chats)
        writer.member("notifications", notifications)
    }
}
