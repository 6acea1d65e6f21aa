/// One event for its receivers, encoded once for all of them.
///
/// - Confinement: any
package struct Publication: Sendable {
    /// The event's JSON: the same for all readers, or by their language.
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
        /// It depends on whether the receiver had seen the removed notification: the count must be computed again.
        case recount
        /// A message of a room: unread for every receiver but its author.
        case message(of: StreamID)
    }

    /// The change of a document that an event of the name `document` is.
    package struct Document: Sendable, Hashable {
        package let path: DocumentPath
        /// Of the document after the change.
        package let version: Int64
        /// Bytes of the document's JSON, which stands last in the event; nil when the document was deleted.
        package let bytes: Int?

        package init(path: DocumentPath, version: Int64, bytes: Int?) {
            self.path = path
            self.version = version
            self.bytes = bytes
        }
    }

    /// Its place in the log.
    package let position: Position
    package let name: EventName
    /// The stream that it belongs to; an event of a pair belongs to two inboxes.
    package let stream: StreamID
    package let secondStream: StreamID?
    package let payload: Payload
    /// Its effect on the counts of its receivers, in streams with many readers, where the writer does not store a count for
    /// each user.
    package let unread: UnreadEffect
    /// The broadcast whose progress counts its deliveries.
    package let broadcast: Int64?
    /// The changed document; then the streams are those of watches.
    package let document: Document?
    /// The facts that decide whether it interrupts its receivers; nil when it is not a notification.
    package let notification: NotificationFacts?
    /// Its further streams and its exceptions; nil for nearly all publications.
    package let reach: PublicationReach?

    package init(
        position: Position, name: EventName, stream: StreamID, secondStream: StreamID? = nil, payload: Payload,
        unread: UnreadEffect = .unchanged, broadcast: Int64? = nil, document: Document? = nil,
        notification: NotificationFacts? = nil, reach: PublicationReach? = nil
    ) {
        self.position = position
        self.name = name
        self.stream = stream
        self.secondStream = secondStream
        self.payload = payload
        self.unread = unread
        self.broadcast = broadcast
        self.document = document
        self.notification = notification
        self.reach = reach
    }

    /// The JSON of the changed document; nil when it was deleted, or no document has changed.
    package var documentJSON: [UInt8]? {
        // Only the closing brace of the event stands after it.
        document?.bytes.map { Array(payload[nil].dropLast().suffix($0)) }
    }

    /// Whether everybody who gets this publication gets the other one, too; of documents, everybody whose watch admits it.
    package func hasReceivers(of other: Publication) -> Bool {
        stream == other.stream && secondStream == other.secondStream && (document == nil) == (other.document == nil)
    }

    /// Whether one of these streams gets it, and none of them has already brought one to the same reader.
    package func lies(in streams: Set<StreamID>) -> Bool {
        let lies =
            streams.contains(stream) || secondStream.map(streams.contains) == true
            || reach?.others.contains(where: streams.contains) == true
        return lies && reach?.told.contains(where: streams.contains) != true
    }
}

/// The receivers of a publication to several streams; each of their readers gets it once.
///
/// A class, so that a publication carries it for a pointer.
///
/// - Confinement: any
package final class PublicationReach: Sendable {
    /// The further streams.
    package let others: [StreamID]
    /// The inboxes of readers who do not get it, since they have a notification of their own.
    package let except: [StreamID]
    /// The same for the question of each session: a broadcast may except thousands.
    private let excepted: Set<StreamID>
    /// The names of the time zones of its readers; empty for all zones.
    package let zones: [String]
    /// The streams whose readers do not get it, because they already got one through them.
    package let told: [StreamID]

    package init(others: [StreamID], except: [StreamID] = [], zones: [String] = [], told: [StreamID] = []) {
        self.others = others
        self.except = except
        excepted = Set(except)
        self.zones = zones
        self.told = told
    }

    /// Whether a reader of its streams gets it.
    ///
    /// - Parameter zone: the name of the reader's time zone.
    package func isFor(_ reader: StreamID, in zone: @autoclosure () -> String) -> Bool {
        !excepted.contains(reader) && (zones.isEmpty || zones.contains(zone()))
    }
}

/// A user's unread counts: absolute numbers, computed by the server; clients never add them up.
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

/// A change of sessions by a commit, besides events; to be applied in the order of positions.
///
/// - Confinement: any
package enum SessionChange: Sendable {
    /// From here on the user is subscribed to a stream, or no longer.
    case subscription(user: StreamID, stream: StreamID, isOn: Bool)
    /// The user's counts as of a position.
    case unread(user: StreamID, counts: UnreadCounts, asOf: Position)
    /// The users have nothing unread in a room as of a position; it is the room's stream.
    case roomRead(users: [StreamID], room: StreamID, asOf: Position)
    /// The user chose another language.
    case language(user: StreamID, language: LanguageTag?)
    /// The user's other preferences, as JSON; nil when there are none. `isHidden`: nobody may see whether the user is
    /// online.
    case preferences(user: StreamID, stored: String?, isHidden: Bool)
    /// The notification at this position begins one of the user's look-back digests, and so is not part of it.
    case digestBegins(user: StreamID, with: Position)
    /// The user has snoozed notifications.
    case snoozed(user: StreamID, count: Int)
    /// The user has put notifications away for good.
    case archived(user: StreamID, count: Int)
    /// The table of access rules, as JSON: from here on it decides about watches.
    case accessRules(String)
    /// Tokens are revoked from here on; sessions that use them end.
    case revoked(Revocation)
    /// A revocation has ended.
    case revocationLifted(Revocation.Subject)
    /// The user's sessions end; they get the reason.
    case kicked(UserID, reason: String)
    /// A user blocks another from here on, or no longer.
    case blocked(StreamID, by: StreamID, isOn: Bool)
    /// The user may not come in from here on, for a ban or for a closed account; the sessions end.
    case banned(Restriction)
    /// The user may come in again, as far as this kind goes.
    case banLifted(UserID, Restriction.Kind)
    /// Everybody who is online gets an event that is not in the log.
    case online(OnlineNotice)
    /// The person is erased: the sessions end, and the name is refused. Without a user, a name may come in again.
    case erased(UserID?, ErasedName, key: String)
    /// No trace of an erased person is left in the tables: each node empties its files.
    case erasureEnded
    /// The changes of a path are not logged any more: who watches it is to watch it again. Its stream's number is never given again.
    case unlogged(StreamID)
}

/// One step of a commit for the sessions, in the order of writing.
///
/// - Confinement: any
package enum CommittedStep: Sendable {
    case publication(Publication)
    case change(SessionChange)
}
