import WatchWise

/// The announcements of a department: read while there is no network, and marked as seen on all devices.
@WatchWiseActor
struct Announcements {
    let ww: WatchWise

    func subscribe() throws { try ww.topics.follow("feed:announcements") }

    /// The newest first, those that were not seen yet with a mark.
    func show(_ show: @Sendable ([String]) -> Bool) async {
        for await inbox in ww.inbox.snapshots() {
            guard show(inbox.items.map { ($0.isSeen ? "" : "• ") + $0.title }) else { return }
        }
    }

    func markAllSeen() async throws {
        for await inbox in ww.inbox.snapshots() {
            if let newest = inbox.items.first { try ww.inbox.seen(upTo: newest.seq) }
            return
        }
    }
}
