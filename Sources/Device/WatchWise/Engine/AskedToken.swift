/// One question to the application's source of tokens, for all that wait for a token.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class AskedToken {
    private let source: TokenSource
    private let limit: Duration
    private var asked: Task<String?, any Error>?

    /// - Parameter limit: A source that gives none within this time is asked again by the next one: a request of the application
    ///   may hang for minutes after a sleep.
    init(_ source: @escaping TokenSource, within limit: Duration) {
        self.source = source
        self.limit = limit
    }

    /// - Throws: what the source throws; ``WatchWiseError`` `timeout`.
    func callAsFunction(_ reason: TokenReason) async throws -> String? {
        if let asked { return try await asked.value }
        let asked = Task { try await answer(reason) }
        self.asked = asked
        defer { self.asked = nil }
        return try await asked.value
    }

    private func answer(_ reason: TokenReason) async throws -> String? {
        let question = Question<String?>()
        let asking = Task { [source] in
            do {
                question.settle(.success(try await source(reason)))
            } catch {
                question.settle(.failure(error))
            }
        }
        let timer = Task { [limit] in
            try await Task.sleep(for: limit)
            question.settle(
                .failure(WatchWiseError(.retry, "timeout", "the source of tokens gave none within \(limit)")))
            asking.cancel()
        }
        defer { timer.cancel() }
        return try await question.answer()
    }
}
