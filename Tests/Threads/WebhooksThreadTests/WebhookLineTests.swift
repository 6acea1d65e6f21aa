import Model
import Store
import Testing
@testable import WebhooksThread
import Webhooks

struct WebhookLineTests {
    private let now = Timestamp(milliseconds: 1_000)

    private func verdict(_ outcome: WebhookAttempt.Outcome, pause: Int64? = nil) -> WebhookVerdict {
        WebhookVerdict(outcome: outcome, status: nil, answer: "", pauseMilliseconds: pause)
    }

    @Test func `an endpoint has four requests at once, and one while it fails`() {
        var line = WebhookLine(isFailing: false)
        #expect(line.free(at: now) == 4)
        for job: Int64 in 1...4 { line.begin(job) }
        #expect(line.free(at: now) == 0)
        let retry = WebhookAttempt.Outcome.retry(at: now)
        #expect(line.end(1, verdict(retry), at: now) == true)
        #expect(line.end(2, verdict(retry), at: now) == nil)
        #expect(line.free(at: now) == 0)
        #expect(line.end(3, verdict(retry), at: now) == nil)
        line.giveBack(4)
        #expect(line.free(at: now) == 1)
        line.begin(5)
        #expect(line.end(5, verdict(.delivered), at: now) == false)
        #expect(line.free(at: now) == 4)
        #expect(WebhookLine(isFailing: true).free(at: now) == 1)
    }

    @Test func `an endpoint that asks for a pause gets no request until its end`() {
        var line = WebhookLine(isFailing: false)
        line.begin(1)
        _ = line.end(1, verdict(.retry(at: now), pause: 500), at: now)
        #expect(line.pausedUntil == now.adding(milliseconds: 500))
        #expect(line.free(at: now.adding(milliseconds: 499)) == 0)
        #expect(line.free(at: now.adding(milliseconds: 500)) == 1)
    }

    @Test func `another answer ends no pause but by a delivery, and makes none shorter`() {
        var line = WebhookLine(isFailing: false)
        for job: Int64 in 1...4 { line.begin(job) }
        let retry = WebhookAttempt.Outcome.retry(at: now)
        _ = line.end(1, verdict(retry, pause: 500), at: now)
        _ = line.end(2, verdict(retry), at: now)
        #expect(line.pausedUntil == now.adding(milliseconds: 500))
        _ = line.end(3, verdict(retry, pause: 100), at: now)
        #expect(line.pausedUntil == now.adding(milliseconds: 500))
        _ = line.end(4, verdict(.delivered), at: now)
        #expect(line.pausedUntil == nil)
    }
}
