import Model
import Store
import Testing
@testable import WebhooksThread
import Webhooks

struct WebhookResultsTests {
    private func attempt(_ job: Int64, _ number: Int64) -> WebhookAttempt {
        WebhookAttempt(
            job: job, number: number, at: Timestamp(milliseconds: 1), status: 200, answer: "", outcome: .delivered)
    }

    @Test func `a result is kept while its job waits for it, and no longer`() {
        var results = WebhookResults()
        for job: Int64 in 1...4 { results.add(attempt(job, 3)) }
        // The second is noted, the third is dead or gone, the fourth was released again.
        let tries: [Int64: Int64] = [1: 2, 2: 3, 4: 4]
        results.settle { tries[$0] }
        #expect((1...4).filter { results.holds($0) } == [1])
    }

    @Test func `a result that is not committed is handed over again, even if new results come all the time`() {
        var results = WebhookResults()
        results.add(attempt(1, 1))
        #expect(results.due(at: 1_000, repeatMilliseconds: 100).map(\.job) == [1])
        var repeated: [Int64] = []
        for round: Int64 in 2...11 {
            results.settle { $0 == 1 ? 0 : nil }
            results.add(attempt(round, 1))
            let due = results.due(at: 1_000 + 20 * round, repeatMilliseconds: 100)
            #expect(due.contains { $0.job == round })
            if due.contains(where: { $0.job == 1 }) { repeated.append(round) }
        }
        #expect(repeated == [5, 10])
        #expect(results.due(at: 1_221, repeatMilliseconds: 100).isEmpty)
    }
}
