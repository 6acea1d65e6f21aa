package import ClientProtocol
package import JSON
package import Model

/// A report of a session to its owner, in the order of events.
/// - Confinement: any
package enum ClientSessionReport: Sendable, Equatable {
    /// The server has accepted the `hello`: commands can be sent. Once for each connection, and for each renewed token.
    case online(ClientHello)
    /// Everything missed was delivered; from now on events come as they happen.
    case live(Position)
    /// The server cannot send the missed events one by one: fetch the state again.
    case reset(reason: String)
    /// Something happened.
    case event(ClientEvent)
    /// A command was answered, or never will be.
    case reply(command: Int64, ClientReply)
    /// The server broke the protocol.
    case violation(ClientSessionViolation)
    /// The connection has ended; the milliseconds until the next attempt, nil while the system is offline.
    case offline(TransportEnd, reconnectInMilliseconds: Int64?)
    /// The session is over; no report follows.
    case ended(ClientSessionEnd)
}

/// An event as it came.
/// - Confinement: any
package struct ClientEvent: Sendable, Equatable {
    /// The `type` on the wire, also of events that this client does not know.
    package let type: String
    /// Nil for a type that this client does not know.
    package let name: EventName?
    /// Its place in the log; nil for events outside of the log.
    package let position: Position?
    /// All its members.
    package let body: JSONValue

    package init(type: String, position: Position?, body: JSONValue) {
        self.type = type
        name = EventName(rawValue: type)
        self.position = position
        self.body = body
    }
}

/// The end of a command.
/// - Confinement: any
package enum ClientReply: Sendable, Equatable {
    case ok(JSONValue)
    /// Refused; a repetition would not help.
    case refused(Refusal)
    /// The connection broke, or the session ended, before the reply; it may have been done.
    case lost
}

/// A way in which a server broke the protocol.
/// - Confinement: any
package enum ClientSessionViolation: Sendable, Equatable {
    /// A durable event whose position is not above the cursor: repeated or out of order. It is not reported as an
    /// event.
    case notAscending(ClientEvent, cursor: Position)
    /// The server reports another number of durable events than have arrived; the session resumes from its cursor.
    case countDiffers(sent: Int64, received: Int64)
    /// A message that is neither a reply nor an event, or is not JSON.
    case unreadable(JSONError)
    /// A reply to no waiting command.
    case unexpectedReply(RequestID?)
}

/// Why a session is over.
/// - Confinement: any
package enum ClientSessionEnd: Sendable, Equatable {
    /// Its owner stopped it.
    case stopped
    /// `hello` was refused.
    case refused(Refusal)
    /// There is no token.
    case noToken
    /// The token is that of another user.
    case otherUser(String)
    /// The connection ended in a way that forbids another attempt, or the configuration does not allow one.
    case transport(TransportEnd)
}

/// The server's answer to `hello`.
/// - Confinement: any
package struct ClientHello: Sendable, Equatable {
    package let epoch: Epoch
    /// The head of the log.
    package let seq: Position
    package let heartbeatMilliseconds: Int64
    package let unread: UnreadCounts
    /// All its members.
    package let body: JSONValue

    /// Nil when a member is missing.
    package init?(_ body: JSONValue) {
        guard let epoch = body["epoch"]?.stringValue.flatMap(Epoch.init), let seq = body["seq"]?.integerValue,
            let heartbeat = body["heartbeat"]?.integerValue, (1...86_400_000).contains(heartbeat),
            let unread = body["unread"].flatMap(UnreadCounts.init(reading:))
        else { return nil }
        self.epoch = epoch
        self.seq = Position(seq)
        heartbeatMilliseconds = heartbeat
        self.unread = unread
        self.body = body
    }
}

extension UnreadCounts {
    /// Reads the members `chats` and `notifications`; nil when one is missing.
    package init?(reading body: JSONValue) {
        guard let chats = body["chats"]?.integerValue, let notifications = body["notifications"]?.integerValue else {
            return nil
        }
        self.init(chats: chats, notifications: notifications)
    }
}
