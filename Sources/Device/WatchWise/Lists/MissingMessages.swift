import Session

/// Messages that lists show and the device does not have: the server is asked for a page of a chat at a time.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class MissingMessages {
    /// Fetches a page of a chat, the messages before a number, and stores it.
    private let fetch: (_ chat: String, _ before: Int64, _ limit: Int64) async throws -> Void
    private let changed: (Changes) -> Void
    /// Chats of which a page is asked for.
    private var asked: Set<String> = []

    /// - Parameter changed: Called with the chat whose page is here, so that its lists look for the next one.
    init(
        fetch: @escaping (_ chat: String, _ before: Int64, _ limit: Int64) async throws -> Void,
        changed: @escaping (Changes) -> Void
    ) {
        self.fetch = fetch
        self.changed = changed
    }

    /// Asks for the newest page of a gap.
    /// - Parameter failed: Called when it was not asked for, or not answered.
    func fetch(_ chat: String, _ gap: ClosedRange<Int64>, limit: Int, failed: @escaping @WatchWiseActor () -> Void) {
        guard asked.insert(chat).inserted else { return failed() }
        Task {
            do {
                try await fetch(chat, gap.upperBound + 1, Int64(limit))
                asked.remove(chat)
                var changes = Changes()
                changes.add(.chats, RowKey(.chats, chat))
                changed(changes)
            } catch {
                asked.remove(chat)
                failed()
            }
        }
    }
}
