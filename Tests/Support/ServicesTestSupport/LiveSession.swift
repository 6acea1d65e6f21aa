import ClientProtocol
package import JSON
package import Model
import Notifying
import Services
import Store

/// A connected device that processes commits as a session of the server does: its subscriptions, its events, and the
/// counts that it shows.
package final class LiveSession {
    package let user: StreamID
    package private(set) var counts: UnreadCounts
    package private(set) var language: LanguageTag?
    package private(set) var received: [Publication] = []
    /// The events that are in no log, in their order.
    package private(set) var notices: [JSONValue] = []
    private var subscribed: Set<StreamID>
    private var preferences: DeliveryPreferences?
    private var zone: String
    private var digestFirst: Position?
    private var unreadRooms: Set<StreamID>

    init(_ start: SessionStart) {
        user = start.user.id
        counts = start.counts
        language = start.user.effectiveLanguage
        preferences = DeliveryPreferences.stored(start.user.preferences)
        zone = DeliveryPreferences.zone(ofStored: start.user.preferences)
        unreadRooms = Set(start.unreadRooms)
        subscribed = Set(start.streams + [start.user.id, .everyone])
    }

    /// The events so far, parsed.
    package var events: [JSONValue] {
        received.compactMap { try? JSONValue(parsing: $0.payload[language]) }
    }

    package var types: [String] { events.compactMap { $0["type"]?.stringValue } }

    /// Titles of notifications, in their order.
    package var titles: [String] { events.compactMap { $0["title"]?.stringValue } }

    /// Forgets the events, to look only at later ones.
    package func forget() { received = [] }

    /// Processes the steps of a commit.
    ///
    /// - Parameter recount: Reads the counts again, as the server does when a notification of a topic was removed.
    func take(_ steps: [CommittedStep], recount: (StreamID) throws -> UnreadCounts) throws {
        var mustRecount = false
        for step in steps {
            switch step {
            case .publication(let publication):
                guard publication.lies(in: subscribed),
                    publication.reach?.isFor(user, in: zone) ?? true
                else { continue }
                received.append(decided(publication))
                switch publication.unread {
                case .unchanged: break
                case .oneMore: counts.notifications += 1
                case .message(let author):
                    if author != user, unreadRooms.insert(publication.stream).inserted { counts.chats += 1 }
                case .recount: mustRecount = true
                }
            case .change(.subscription(user, let stream, let isOn)):
                if isOn { subscribed.insert(stream) } else { subscribed.remove(stream) }
            case .change(.unread(user, let counts, _)): self.counts = counts
            case .change(.roomRead(let users, let room, _)) where users.contains(user):
                if unreadRooms.remove(room) != nil { counts.chats -= 1 }
            case .change(.language(user, let language)): self.language = language
            case .change(.preferences(user, let stored, _)):
                preferences = DeliveryPreferences.stored(stored)
                zone = DeliveryPreferences.zone(ofStored: stored)
            case .change(.digestBegins(user, let position)): digestFirst = position
            case .change(.online(let notice)):
                notices.append(try JSONValue(parsing: notice.payload[language]))
            case .change: break
            }
        }
        if mustRecount { counts = try recount(user) }
    }

    /// A publication in the form in which the session sends it.
    private func decided(_ publication: Publication) -> Publication {
        guard let facts = publication.notification,
            let reason = preferences?.readerReason(
                against: facts, beginsDigest: digestFirst == publication.position, follows: subscribed.contains),
            reason != facts.silence
        else { return publication }
        let silenced = { NotificationBody.silenced($0, because: reason) }
        let payload: Publication.Payload =
            switch publication.payload {
            case .same(let bytes): .same(silenced(bytes))
            case .localized(let texts):
                .localized(
                    Localized(fallback: silenced(texts.fallback), byLanguage: texts.byLanguage.mapValues(silenced))
                )
            }
        return Publication(
            position: publication.position,
            name: publication.name,
            stream: publication.stream,
            payload: payload,
            unread: publication.unread
        )
    }
}
