/// Something that one task waits for. The wait ends with the answer, the time, or the task, as the first of them comes.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Question<Answer: Sendable> {
    private var result: Result<Answer, any Error>?
    private var waiting: CheckedContinuation<Answer, any Error>?

    var isSettled: Bool { result != nil }

    func settle(_ result: Result<Answer, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        waiting?.resume(with: result)
        waiting = nil
    }

    func answer() async throws -> Answer {
        if let result { return try result.get() }
        return try await withCheckedThrowingContinuation { waiting = $0 }
    }
}
