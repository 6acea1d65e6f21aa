import Model
import Store
import TestSupport
import Testing
@testable import Configuration
@testable import Outbound
@testable import WebhooksThread
import Webhooks

struct WebhookVerdictTests {
    private let now = Timestamp(milliseconds: 1_000_000_000)

    private func verdict(
        _ status: Int, _ fields: [(String, String)] = [], body: String = "", attempts: Int64 = 1
    ) -> WebhookVerdict {
        let answer = OutboundAnswer(
            status: status, fields: fields.map { OutboundRequest.Field($0.0, $0.1) }, body: Array(body.utf8))
        return verdict(.success(answer), attempts: attempts)
    }

    private func verdict(
        _ result: Result<OutboundAnswer, OutboundFailure>, attempts: Int64 = 1, isPlain: Bool = false
    ) -> WebhookVerdict {
        var pace = WebhookPace()
        pace.jitterPercent = 0
        var random = SeededRandom(seed: 1)
        return WebhookVerdict(result, attempts: attempts, isPlain: isPlain, pace: pace, at: now, using: &random)
    }

    @Test(arguments: [200, 201, 202, 204, 299])
    func `2xx is delivered`(_ status: Int) { #expect(verdict(status).outcome == .delivered) }

    @Test(arguments: [301, 302, 307, 308, 304, 400, 401, 404, 409, 429, 500, 503, 100, 199])
    func `anything else is tried again`(_ status: Int) {
        #expect(verdict(status).outcome == .retry(at: now.adding(milliseconds: 5_000)))
    }

    @Test func `410 ends an endpoint`() { #expect(verdict(410).outcome == .gone) }

    @Test func `the pauses are those of the schedule, and after the last the job is dead`() {
        let pauses = (Int64(1)...9).map { attempts -> Int64? in
            guard case .retry(let time) = verdict(500, attempts: attempts).outcome else { return nil }
            return time.milliseconds - now.milliseconds
        }
        #expect(pauses == WebhookLimits.retryMilliseconds)
        guard case .dead(let reason) = verdict(500, body: "no", attempts: 10).outcome else {
            Issue.record("not dead")
            return
        }
        #expect(reason == "10 attempts failed, the last one: 500 no")
    }

    @Test func `chance makes a pause longer by a fifth at most, and spreads`() {
        let pace = WebhookPace()
        var random = SeededRandom(seed: 7)
        let pauses = (0..<200).compactMap { _ in pace.pause(afterAttempts: 2, using: &random) }
        #expect(pauses.allSatisfy { (300_000...360_000).contains($0) })
        #expect(Set(pauses).count > 100)
    }

    @Test(arguments: [
        (429, "7", 7_000), (503, "120", 120_000), (503, "0", 1_000), (503, "99999999999999999999", 86_400_000),
        (429, "9223372036854775807", 86_400_000), (503, "Mon, 12 Jan 1970 13:46:50 GMT", 10_000),
        (503, "Sun, 06 Nov 1969 08:49:37 GMT", 1_000),
    ])
    func `Retry-After is kept to, within bounds`(_ status: Int, _ value: String, _ wait: Int64) {
        let verdict = verdict(status, [("retry-after", value)])
        #expect(verdict.pauseMilliseconds == wait)
        #expect(verdict.outcome == .retry(at: now.adding(milliseconds: wait)))
    }

    @Test(arguments: [(500, "7"), (503, "soon"), (503, ""), (503, "-1"), (503, "1.5"), (503, "Nov 12 1994")])
    func `Retry-After where it says nothing is not looked at`(_ status: Int, _ value: String) {
        let verdict = verdict(status, [("Retry-After", value)])
        #expect(verdict.pauseMilliseconds == nil)
        #expect(verdict.outcome == .retry(at: now.adding(milliseconds: 5_000)))
    }

    @Test func `the kept part of an answer is one short line without control characters`() {
        let line = verdict(500, body: "one\r\n\u{1b}[31mtwo\u{202e}" + String(repeating: "x", count: 5_000)).answer
        #expect(line.hasPrefix("500 one [31mtwo x"))
        #expect(line.count <= 204)
        #expect(verdict(302, body: "secret").answer == "302, a redirect, which is not followed")
    }

    @Test func `an address that is refused names the setting that admits it`() {
        let refused = Result<OutboundAnswer, OutboundFailure>.failure(.addressRefused("10.0.0.1"))
        #expect(verdict(refused).answer.contains("webhook-allow"))
        #expect(verdict(refused, isPlain: true).answer.contains("webhook-plain"))
        #expect(verdict(refused).status == nil)
    }
}
