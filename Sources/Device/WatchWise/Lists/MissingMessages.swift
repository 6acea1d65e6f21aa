import Session

/// Messages that lists show and the device does not have: the server is asked for a page of a chat at a time.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class MissingMessages {
    /// Fetches a page of a chat, the messages before a number, and stores it.
    private let fetch: (_ chat: String, _ before: Int64, _ limit: Int64) async throws -> Void
    private let changed: (Changes) -> Void
    private let pause: Duration
    /// Chats of which a page is asked for.
    private var asked: Set<String> = []

    /// - Parameters:
    ///   - pause: Between a refusal and the next try, beside what the server asks for.
    ///   - changed: Called with a chat whose lists are to look for missing messages again: a page is here, or may be tried again.
    init(
        pause: Duration = .seconds(1),
        fetch: @escaping (_ chat: String, _ before: Int64, _ limit: Int64) async throws -> Void,
        changed: @escaping (Changes) -> Void
    ) {
        self.fetch = fetch
        self.changed = changed
        self.pause = pause
    }

    /// Asks for the newest page of a gap.
    /// - Parameter failed: Called when it was not asked for, or not answered.
    func fetch(_ chat: String, _ gap: ClosedRange<Int64>, limit: Int, failed: @escaping @WatchWiseActor () -> Void) {
        guard asked.insert(chat).inserted else { return failed() }
        Task {
            do {
                try await fetch(chat, gap.upperBound + 1, Int64(limit))
                asked.remove(chat)
            } catch {
                asked.remove(chat)
                failed()
                // One that is refused for good is asked for again when the chat changes.
                guard let wait = wait(after: error) else { return }
                try? await Task.sleep(for: wait)
            }
            var changes = Changes()
            changes.add(.chats, RowKey(.chats, chat))
            changed(changes)
        }
    }

    /// Nil when a repetition would not help.
    private func wait(after error: any Error) -> Duration? {
        guard let error = error as? WatchWiseError, error.kind == .retry || error.kind == .limit else { return nil }
        return pause + .milliseconds(error.retryAfterMilliseconds ?? 0)
    }
}
