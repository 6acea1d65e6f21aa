import JSON
package import Model

/// Events about the connection itself.
extension Event {
    /// Everything up to `seq` was sent; from now on events come as they are committed.
    package static func live(seq: Position) -> EncodedEvent {
        ephemeral(.live) { $0.member("seq", seq.value) }
    }

    /// Why the missed events cannot be sent one by one.
    package enum ResetReason: String, Sendable, Hashable, CaseIterable {
        case epoch, retention
        case tooFar = "too-far"
    }

    /// The client must fetch its state again.
    package static func reset(_ reason: ResetReason) -> EncodedEvent {
        ephemeral(.reset) { $0.member("reason", reason.rawValue) }
    }

    /// The session's token ends at `at`.
    package static func expiring(at: Timestamp) -> EncodedEvent {
        ephemeral(.expiring) { $0.member("at", at) }
    }

    /// The server is about to stop; the connection will be closed within `milliseconds`.
    package static func drain(withinMilliseconds milliseconds: Int64) -> EncodedEvent {
        ephemeral(.drain) { $0.member("inMs", milliseconds) }
    }

    /// The last event before a close with `code`.
    ///
    /// - Parameters:
    ///   - code: The code of the close frame that follows.
    ///   - reason: nil for the code's own reason.
    ///   - reconnectInMilliseconds: When to connect again; nil when the client should not, unless something changes.
    ///   - session: The id of the session that ends.
    package static func bye(
        _ code: CloseCode, reason: String? = nil, reconnectInMilliseconds: Int64? = nil, session: String? = nil
    ) -> EncodedEvent {
        ephemeral(.bye) {
            $0.member("code", Int64(code.rawValue))
            $0.member("reason", reason ?? code.reason)
            if let reconnectInMilliseconds { $0.member("reconnectInMs", reconnectInMilliseconds) }
            if let session { $0.member("session", session) }
        }
    }

    /// A sign of life: the number of durable events sent on this connection, and the position of the last one.
    package static func beat(events: Int64, seq: Position) -> EncodedEvent {
        ephemeral(.beat) {
            $0.member("events", events)
            $0.member("seq", seq.value)
        }
    }
}
