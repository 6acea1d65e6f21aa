public import Foundation
import JSON
import Session

/// The topics that the user follows: people, films, directors, series.
@WatchWiseActor
public struct Topics {
    let device: Device

    /// The topics by name, now and after each change.
    /// - Parameter limit: How many, until ``Snapshots/more(_:)`` shows further ones; all of them without it.
    public nonisolated func snapshots(limit: Int = .max) -> Snapshots<FollowedTopic> {
        Snapshots(device, .topics(limit: limit))
    }

    /// Follows a topic.
    @discardableResult
    public func follow(_ topic: String) throws -> Write { try device.keep("follow", ["topic": .string(topic)]) }

    /// Ends the follow of a topic.
    @discardableResult
    public func unfollow(_ topic: String) throws -> Write { try device.keep("unfollow", ["topic": .string(topic)]) }

    /// The topics as the lists show them.
    public func list() throws -> [String] {
        let rows = try device.store.read { try $0.all(.topics) }
        return Overlay(user: device.user, entries: device.entries).topics(rows).compactMap { $0.string("topic") }
    }

    /// Whether the user follows a topic, with what waits.
    public func isFollowed(_ topic: String) throws -> Bool { try list().contains(topic) }
}

/// The notifications of the user.
@WatchWiseActor
public struct Inbox {
    let device: Device

    /// The newest notifications, now and after each change.
    /// - Parameter limit: How many, until ``Snapshots/more(_:)`` shows further ones.
    public nonisolated func snapshots(limit: Int = 200) -> Snapshots<InboxItem> {
        Snapshots(device, .inbox(limit: limit))
    }

    /// A page of the inbox from the server.
    /// - Parameter before: The `next` of the page before.
    public func list(before: String? = nil, limit: Int = 50, isUnread: Bool = false) async throws -> (
        items: [InboxItem], next: String?
    ) {
        var fields: JSONObject = ["limit": .integer(Int64(limit)), "unread": .bool(isUnread)]
        fields["before"] = before.map { .string($0) }
        let answer = try await device.request("notifications", fields)
        return (answer.rows("notifications").compactMap(InboxItem.init), answer["next"]?.stringValue)
    }

    /// Everything up to a position is seen.
    @discardableResult
    public func seen(upTo seq: Int64) throws -> Write { try device.keep("seen", ["upTo": .integer(seq)]) }

    /// Some notifications are seen.
    @discardableResult
    public func seen(_ ids: [String]) throws -> Write {
        try device.keep("seen", ["ids": .strings(ids)])
    }

    /// Takes notifications from every device and from the lists, for good.
    @discardableResult
    public func archive(_ ids: [String]) throws -> Write {
        try device.keep("archive", ["ids": .strings(ids)])
    }

    /// Takes notifications away until a time.
    @discardableResult
    public func snooze(_ ids: [String], until: Date) throws -> Write {
        try device.keep(
            "snooze", ["ids": .strings(ids), "until": .string(until.formatted(.server))])
    }
}

/// The user's preferences, which all devices share: languages, quiet hours, levels.
@WatchWiseActor
public struct Preferences {
    let device: Device

    /// The preferences, now and after each change.
    public nonisolated func snapshots() -> Snapshots<AnyJSON> {
        Snapshots(device: device, window: .preferences(), make: { $0["value"].map(AnyJSON.init) })
    }

    /// The preferences of the store, with what waits; from the server when the store has none.
    public func get() async throws -> AnyJSON {
        if let known = try device.store.read({ try $0.note("preferences") }) {
            return AnyJSON(Overlay(user: device.user, entries: device.entries).preferences(known))
        }
        return AnyJSON(try await device.request("preferences", [:]))
    }

    /// Changes some of them: a merge patch (RFC 7396), where null removes a member.
    @discardableResult
    public func set(_ patch: [String: AnyJSON]) throws -> Write {
        try device.keep("preferences", ["set": AnyJSON.object(patch).value])
    }
}

/// The people who are online.
@WatchWiseActor
public struct Presence {
    let device: Device

    /// The online people of a list, at once and after each change. All lists are watched together: 200 people, those of the
    /// latest lists.
    public func snapshots(_ people: [String]) -> AsyncStream<Set<String>> {
        device.people.snapshots(people, of: device)
    }
}
