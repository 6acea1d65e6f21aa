/// One event as it goes out, encoded once for all its receivers.
///
/// - Confinement: any
package struct Publication: Sendable {
    /// The event's JSON: the same for all, or by the reader's language.
    package enum Payload: Sendable, Hashable {
        case same([UInt8])
        case localized(Localized<[UInt8]>)

        /// The bytes for a reader of `language`.
        package subscript(_ language: LanguageTag?) -> [UInt8] {
            switch self {
            case .same(let bytes): bytes
            case .localized(let localized): localized[language]
            }
        }
    }

    /// See ``unread``.
    package enum UnreadEffect: Sendable, Hashable {
        case unchanged
        case oneMore
        /// It depends on whether the receiver had seen the removed notification: count again.
        case recount
    }

    /// Its place in the log.
    package let position: Position
    /// Where it belongs; a pair chat's event has two.
    package let stream: StreamID
    package let secondStream: StreamID?
    package let payload: Payload
    /// What it does to the number of notifications its receivers have not read, where the writer does not keep it user
    /// by user: in streams that many follow.
    package let unread: UnreadEffect
    /// The broadcast whose progress its deliveries count for.
    package let broadcast: Int64?
    /// The id in its collection of the document that has changed: then the streams are those of watches.
    package let document: String?
    /// What decides whether it interrupts its receivers; nil when it is no notification.
    package let notification: NotificationFacts?
    /// The streams beside its own in which it lies, and who has it otherwise; nil for nearly all.
    package let reach: PublicationReach?

    package init(
        position: Position, stream: StreamID, secondStream: StreamID? = nil, payload: Payload,
        unread: UnreadEffect = .unchanged, broadcast: Int64? = nil, document: String? = nil,
        notification: NotificationFacts? = nil, reach: PublicationReach? = nil
    ) {
        self.position = position
        self.stream = stream
        self.secondStream = secondStream
        self.payload = payload
        self.unread = unread
        self.broadcast = broadcast
        self.document = document
        self.notification = notification
        self.reach = reach
    }

    /// Whether it lies in a stream that somebody reads, and in none through which that person already got one.
    package func lies(in streams: Set<StreamID>) -> Bool {
        let lies =
            streams.contains(stream) || secondStream.map(streams.contains) == true
            || reach?.others.contains(where: streams.contains) == true
        return lies && reach?.told.contains(where: streams.contains) != true
    }
}

/// Whom a publication reaches that is for several streams at once, each of their readers once.
///
/// A class, so that a publication carries it for a pointer.
///
/// - Confinement: any
package final class PublicationReach: Sendable {
    /// The streams in which it lies, beside its own.
    package let others: [StreamID]
    /// The inboxes of readers who do not get it, since they have one of their own.
    package let except: [StreamID]
    /// The time zones of its readers, by their names; empty for all.
    package let zones: [String]
    /// The streams whose readers do not get it, because they already got one through them.
    package let told: [StreamID]

    package init(
        others: [StreamID], except: [StreamID] = [], zones: [String] = [], told: [StreamID] = []
    ) {
        self.others = others
        self.except = except
        self.zones = zones
        self.told = told
    }

    /// Whether it is for a reader of its streams.
    ///
    /// - Parameter zone: the name of the reader's time zone.
    package func isFor(_ reader: StreamID, in zone: @autoclosure () -> String) -> Bool {
        !except.contains(reader) && (zones.isEmpty || zones.contains(zone()))
    }
}

/// What a person has not read: absolute counts, computed by the server, never added up by clients.
///
/// - Confinement: any
package struct UnreadCounts: Sendable, Hashable {
    /// Chats with at least one unread message.
    package var chats: Int64
    /// Unread notifications, personal ones and those of followed topics.
    package var notifications: Int64

    package init(chats: Int64, notifications: Int64) {
        self.chats = chats
        self.notifications = notifications
    }
}

/// What a commit changes for sessions besides events, to be applied in the order of positions.
///
/// - Confinement: any
package enum SessionChange: Sendable {
    /// From here on the user is, or is no longer, subscribed to a stream.
    case subscription(user: StreamID, stream: StreamID, isOn: Bool)
    /// The user's counts as of a position.
    case unread(user: StreamID, counts: UnreadCounts, asOf: Position)
    /// The user chose another language.
    case language(user: StreamID, language: LanguageTag?)
    /// The user's other preferences are these, as JSON; nil when there are none. `isHidden`: nobody may see whether the
    /// user is online.
    case preferences(user: StreamID, stored: String?, isHidden: Bool)
    /// The notification at a position begins one of the user's look-back digests, and so is not collected by it.
    case digestBegins(user: StreamID, with: Position)
    /// The user has put notifications off.
    case snoozed(user: StreamID, count: Int)
    /// The table of access rules, as JSON: what is watched must be allowed by it from here on.
    case accessRules(String)
    /// Tokens are worth nothing from here on; sessions that rest on them end.
    case revoked(Revocation)
    /// They are worth something again.
    case revocationLifted(Revocation.Subject)
    /// The user's sessions end; the reason is what they get.
    case kicked(UserID, reason: String)
}

/// One step of a commit as the sessions experience it, in the order in which it was written.
///
/// - Confinement: any
package enum CommittedStep: Sendable {
    case publication(Publication)
    case change(SessionChange)
}
