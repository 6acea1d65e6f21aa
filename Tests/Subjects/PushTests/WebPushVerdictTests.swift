import Model
import TestSupport
import Testing
@testable import Push

struct WebPushVerdictTests {
    private func verdict(_ answer: PushAnswer, _ attempt: PushAttempt = Attempts.attempt()) -> PushVerdict {
        var random = SeededRandom(seed: 1)
        return PushVerdict.webPush(answer, attempt, using: &random)
    }

    @Test(arguments: [200, 201, 202, 204, 203, 299])
    func `2xx is sent`(_ status: Int) {
        let verdict = verdict(Attempts.answer(status))
        #expect(verdict.outcome == .sent)
        #expect(verdict.device == .kept)
        #expect(verdict.service == .none)
        #expect(verdict.status == status)
        #expect(!verdict.isFailure)
    }

    @Test(arguments: [404, 410])
    func `a subscription that has ended is removed`(_ status: Int) {
        let verdict = verdict(Attempts.answer(status, "gone\n"))
        #expect(verdict.outcome == .dropped)
        #expect(verdict.device == .removed(reason: "\(status)"))
        #expect(verdict.line == "\(status) gone")
    }

    @Test(arguments: [400, 401, 403])
    func `a refusal with an old token is tried with a new one`(_ status: Int) {
        let verdict = verdict(Attempts.answer(status), Attempts.attempt(tokenSeconds: 61))
        #expect(verdict.outcome == .again(at: Attempts.now, as: .usual))
        #expect(verdict.service == .newToken)
        #expect(verdict.device == .kept)
    }

    @Test(arguments: [400, 401, 403])
    func `a refusal with a new token is a problem, and removes the device on the third day in a row`(_ status: Int) {
        var problem: DeviceProblem?
        for (hours, isRemoved) in [(0, false), (1, false), (25, false), (47, false), (50, true)] as [(Int64, Bool)] {
            let now = Attempts.later(hours * 3_600)
            let attempt = Attempts.attempt(
                tokenSeconds: 60, ends: now.adding(milliseconds: 1), problem: problem, at: now)
            let verdict = verdict(Attempts.answer(status, "no"), attempt)
            #expect(verdict.outcome == .dropped)
            if case .problem(let noted) = verdict.device { problem = noted }
            #expect((verdict.device == .removed(reason: "\(status) no")) == isRemoved, "after \(hours) h")
        }
    }

    @Test func `413 is sent once more as hidden, then given up`() {
        let first = verdict(Attempts.answer(413))
        #expect(first.outcome == .again(at: Attempts.now, as: .hidden))
        let second = verdict(Attempts.answer(413), Attempts.attempt(number: 2, variant: .hidden))
        #expect(second.outcome == .dead)
        #expect(second.device == .kept)
        #expect(second.line == "413")
    }

    @Test(
        arguments: [
            (429, "7", 7), (503, "0", 1), (503, "99999", 3_600), (429, "Wed, 25 Nov 2026 10:01:04 GMT", 60),
        ] as [(Int, String, Int64)])
    func `Retry-After holds the whole origin, from a second to an hour`(
        _ status: Int, _ text: String, _ seconds: Int64
    ) {
        let verdict = verdict(Attempts.answer(status, retryAfter: text))
        let until = Attempts.later(seconds)
        #expect(verdict.service == .waits(until: until, milliseconds: seconds * 1000))
        #expect(verdict.outcome == .again(at: until, as: .usual))
        #expect(verdict.isFailure)
    }

    @Test(arguments: [(429, nil), (503, nil), (503, "soon"), (500, "7")] as [(Int, String?)])
    func `without a valid Retry-After it is tried again after the usual pause`(_ status: Int, _ text: String?) {
        let verdict = verdict(Attempts.answer(status, retryAfter: text))
        #expect(verdict.service == .none)
        #expect(Attempts.isAgain(verdict.outcome, after: 5))
    }

    @Test(arguments: [(1, 3_600), (2, 21_600), (3, 86_400), (9, 86_400)] as [(Int, Int64)])
    func `507 waits for a listener`(_ number: Int, _ seconds: Int64) {
        let attempt = Attempts.attempt(number: number, ends: Attempts.later(700_000))
        let verdict = verdict(Attempts.answer(507, #"{"code":50701}"#), attempt)
        #expect(Attempts.isAgain(verdict.outcome, after: seconds))
        guard case .problem(let problem) = verdict.device else {
            Issue.record("no problem is noted")
            return
        }
        #expect(problem.kind == .unsubscribed)
        #expect(problem.reason == #"507 {"code":50701}"#)
        #expect(!verdict.isFailure, "the server itself works")
    }

    @Test func `after a week of 507 the device is removed`() {
        let begin = DeviceProblem(.unsubscribed, reason: "507", after: nil, at: Attempts.now)
        for (seconds, isRemoved) in [(604_799, false), (604_800, true)] as [(Int64, Bool)] {
            let now = Attempts.later(seconds)
            let attempt = Attempts.attempt(
                number: 9, ends: now.adding(milliseconds: 200_000_000), problem: begin, at: now)
            let verdict = verdict(Attempts.answer(507), attempt)
            #expect((verdict.device == .removed(reason: "507")) == isRemoved)
            #expect((verdict.outcome == .dropped) == isRemoved)
        }
    }

    @Test(arguments: [100, 301, 302, 307, 402, 405, 408, 418, 500, 501, 502, 504, 511, 599, 999, 0, -1])
    func `any other status is tried again`(_ status: Int) {
        #expect(Attempts.isAgain(verdict(Attempts.answer(status)).outcome, after: 5))
    }

    @Test func `no answer is tried again on a new connection`() {
        for answer in [PushAnswer.unanswered(reason: "it took\ntoo long"), .brokenOff(reason: "it took too long")] {
            let verdict = verdict(answer)
            #expect(Attempts.isAgain(verdict.outcome, after: 5))
            #expect(verdict.service == .newConnection)
            #expect(verdict.status == nil)
            #expect(verdict.line == "it took too long")
            #expect(verdict.isFailure)
        }
    }

    @Test func `a push that would be late has expired`() {
        let attempt = Attempts.attempt(ends: Attempts.later(5))
        #expect(verdict(Attempts.answer(500), attempt).outcome == .expired)
        #expect(verdict(Attempts.answer(503, retryAfter: "5"), attempt).outcome == .expired)
        #expect(verdict(Attempts.answer(200), attempt).outcome == .sent)
    }

    @Test func `an answer becomes one short line of visible ASCII`() {
        let verdict = verdict(Attempts.answer(500, "one\r\n\u{1b}[31mtwö" + String(repeating: "x", count: 5_000)))
        #expect(verdict.line.hasPrefix("500 one [31mtw x"))
        #expect(verdict.line.count <= 204)
    }
}
