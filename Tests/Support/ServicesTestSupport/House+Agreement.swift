import JSON
package import Model
import Services
import Store
package import TestSupport
import Testing

extension House {
    /// Compares a connected person's counts, list and log: the events that came live must be those that a client gets
    /// that resumes from `from`.
    package func checkAgreement(_ name: String, after from: Position) throws {
        let user = try entry(name)
        let plain = try look { try $0.notifications.countUnreadTopics(of: user) }
        #expect(try look { try $0.topicCounts.unread(of: user) } == plain)
        let unread = try notifications(name, isUnreadOnly: true).texts("notifications", "id")
        #expect(Set(unread).count == unread.count)
        #expect(Int64(unread.count) == plain + user.unreadInbox)
        let session = try #require(sessions[name])
        #expect(session.counts.notifications == Int64(unread.count))
        let page = try look { try LogPage(of: user, after: from, deviceLanguage: nil, limit: 500, in: $0) }
        #expect(try page.events.map { try JSONValue(parsing: $0.bytes) } == session.events)
    }

    /// Marks everything up to a random place as seen, or one unread notification.
    package func seeSome(_ name: String, using random: inout SeededRandom) throws {
        if Bool.random(using: &random) {
            try seen(name, upTo: Int64.random(in: 1...head.value, using: &random))
        } else if let id = try notifications(name, isUnreadOnly: true).texts("notifications", "id")
            .randomElement(using: &random)
        {
            try seen(name, ids: [id])
        }
    }
}
