import ClientProtocol
import JSON
import Model
import Services
import Store

/// A connected device, as a session of the server lives through commits: what it is subscribed to, what it got, and
/// the counts it shows.
final class LiveSession {
    let user: StreamID
    private(set) var counts: UnreadCounts
    private(set) var language: LanguageTag?
    private(set) var received: [Publication] = []
    private var subscribed: Set<StreamID>

    init(_ start: SessionStart) {
        user = start.user.id
        counts = start.counts
        language = start.user.effectiveLanguage
        subscribed = Set(start.streams + [start.user.id, .everyone])
    }

    /// The events so far, parsed.
    var events: [JSONValue] {
        received.compactMap { try? JSONValue(parsing: $0.payload[language]) }
    }

    var types: [String] { events.compactMap { $0["type"]?.stringValue } }

    /// Forgets the events, to look at what comes next.
    func forget() { received = [] }

    /// Lives through the steps of a commit.
    ///
    /// - Parameter recount: reads the counts anew, as the server does when something was taken from a topic.
    func take(_ steps: [CommittedStep], recount: (StreamID) throws -> UnreadCounts) throws {
        var mustRecount = false
        for step in steps {
            switch step {
            case .publication(let publication):
                guard
                    subscribed.contains(publication.stream)
                        || publication.secondStream.map(subscribed.contains) == true
                else { continue }
                received.append(publication)
                switch publication.unread {
                case .unchanged: break
                case .oneMore: counts.notifications += 1
                case .recount: mustRecount = true
                }
            case .change(.subscription(user, let stream, let isOn)):
                if isOn { subscribed.insert(stream) } else { subscribed.remove(stream) }
            case .change(.unread(user, let counts, _)): self.counts = counts
            case .change(.language(user, let language)): self.language = language
            case .change: break
            }
        }
        if mustRecount { counts = try recount(user) }
    }
}
