import Model
import TestSupport
import Testing
@testable import Push

struct APNsVerdictTests {
    private func verdict(
        _ answer: PushAnswer, _ attempt: PushAttempt = Attempts.attempt(), environment: APNsEnvironment = .production
    ) -> PushVerdict {
        var random = SeededRandom(seed: 1)
        return PushVerdict.apns(answer, attempt, environment: environment, using: &random)
    }

    private func answer(_ status: Int, _ reason: String) -> PushAnswer {
        Attempts.answer(status, #"{"reason":"\#(reason)"}"#)
    }

    @Test func `200 is sent`() {
        let verdict = verdict(Attempts.answer(200))
        #expect(verdict.outcome == .sent)
        #expect(verdict.device == .kept)
        #expect(verdict.line == "200")
    }

    @Test(arguments: ["Unregistered", "ExpiredToken", "Unknown"])
    func `410 removes the device, unless it has registered since`(_ reason: String) {
        let plain = verdict(answer(410, reason))
        #expect(plain.outcome == .dropped)
        #expect(plain.device == .removed(reason: "410 \(reason)"))
        let attempt = Attempts.attempt()
        for (offset, isKept) in [(-1, true), (0, false), (1, false)] as [(Int64, Bool)] {
            let time = attempt.registered.milliseconds + offset
            let body = #"{"reason":"\#(reason)","timestamp":\#(time)}"#
            let verdict = verdict(Attempts.answer(410, body))
            #expect((verdict.device == .kept) == isKept)
            #expect(Attempts.isAgain(verdict.outcome, after: 5) == isKept)
        }
    }

    @Test func `BadDeviceToken is tried in the other environment, once`() {
        let first = verdict(answer(400, "BadDeviceToken"))
        #expect(first.outcome == .again(at: Attempts.now, as: .otherEnvironment))
        #expect(first.device == .kept)
        let attempt = Attempts.attempt(number: 2, variant: .otherEnvironment)
        let second = verdict(answer(400, "BadDeviceToken"), attempt)
        #expect(second.outcome == .dropped)
        #expect(second.device == .removed(reason: "400 BadDeviceToken"))
        #expect(verdict(Attempts.answer(200), attempt).device == .corrected(.sandbox))
        #expect(verdict(Attempts.answer(200), attempt, environment: .sandbox).device == .corrected(.production))
        let trouble = verdict(Attempts.answer(503), attempt)
        #expect(Attempts.isAgain(trouble.outcome, after: 15, as: .otherEnvironment))
    }

    @Test(arguments: ["DeviceTokenNotForTopic", "BadTopic", "TopicDisallowed", "MissingTopic"])
    func `a wrong configuration is a problem, and never removes a device`(_ reason: String) {
        let old = DeviceProblem(.misconfigured, reason: "x", after: nil, at: Timestamp(milliseconds: 0))
        let verdict = verdict(answer(400, reason), Attempts.attempt(problem: old))
        #expect(verdict.outcome == .dropped)
        guard case .problem(let problem) = verdict.device else {
            Issue.record("no problem is noted")
            return
        }
        #expect(problem.kind == .misconfigured)
        #expect(problem.reason == "400 \(reason)")
        #expect(problem.since == Timestamp(milliseconds: 0))
    }

    @Test(arguments: [
        (400, "BadCollapseId"), (400, "BadExpirationDate"), (400, "BadMessageId"), (400, "BadPriority"),
        (400, "DuplicateHeaders"), (400, "IdleTimeout"), (400, "InvalidPushType"), (400, "MissingDeviceToken"),
        (400, "PayloadEmpty"), (400, "News"), (404, "BadPath"), (405, "MethodNotAllowed"), (413, "PayloadTooLarge"),
        (418, "Teapot"),
    ])
    func `our mistakes become dead letters`(_ status: Int, _ reason: String) {
        let verdict = verdict(answer(status, reason))
        #expect(verdict.outcome == .dead)
        #expect(verdict.device == .kept)
        #expect(verdict.line == "\(status) \(reason)")
    }

    @Test func `ExpiredProviderToken renews an old token, and else says that the clock is wrong`() {
        let old = verdict(answer(403, "ExpiredProviderToken"), Attempts.attempt(tokenSeconds: 1_201))
        #expect(old.outcome == .again(at: Attempts.now, as: .usual))
        #expect(old.service == .newToken)
        let young = verdict(answer(403, "ExpiredProviderToken"), Attempts.attempt(tokenSeconds: 1_200))
        #expect(young.service == .clockWrong(until: Attempts.later(1_200)))
        #expect(young.outcome == .again(at: Attempts.later(1_200), as: .usual))
    }

    @Test(arguments: [
        "InvalidProviderToken", "MissingProviderToken", "Forbidden", "BadCertificate", "UnrelatedKeyIdInToken", "News",
        "",
    ])
    func `a refused key holds the platform for ten minutes`(_ reason: String) {
        let verdict = verdict(answer(403, reason))
        #expect(verdict.service == .keyRefused(until: Attempts.later(600)))
        #expect(verdict.outcome == .again(at: Attempts.later(600), as: .usual))
        #expect(verdict.device == .kept)
    }

    @Test(
        arguments: [(nil, 300), (300, 600), (600, 1_200), (1_800, 3_600), (3_600, 3_600), (Int64.max, 3_600)]
            as [(Int64?, Int64)])
    func `too many pushes hold one device, twice as long each time`(_ last: Int64?, _ seconds: Int64) {
        for reason in ["TooManyRequests", "News"] {
            var attempt = Attempts.attempt()
            attempt.devicePause = last.map { $0 == .max ? $0 : $0 * 1000 }
            let verdict = verdict(answer(429, reason), attempt)
            #expect(verdict.device == .waits(until: Attempts.later(seconds), milliseconds: seconds * 1000))
            #expect(verdict.outcome == .again(at: Attempts.later(seconds), as: .usual))
            #expect(verdict.service == .none)
        }
    }

    @Test func `too many tokens hold the platform for twenty minutes`() {
        let verdict = verdict(answer(429, "TooManyProviderTokenUpdates"))
        #expect(verdict.service == .waits(until: Attempts.later(1_200), milliseconds: 1_200_000))
        #expect(verdict.outcome == .again(at: Attempts.later(1_200), as: .usual))
    }

    @Test(arguments: [
        (500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown"), (502, ""), (301, ""), (100, ""),
        (0, ""), (999, ""),
    ])
    func `trouble of the service is tried again on a new connection`(_ status: Int, _ reason: String) {
        let verdict = verdict(answer(status, reason))
        #expect(Attempts.isAgain(verdict.outcome, after: 5))
        #expect(verdict.service == .newConnection)
    }

    @Test func `a connection that broke off is tried again at once, and then with pauses`() {
        let first = verdict(.brokenOff(reason: "GOAWAY"))
        #expect(first.outcome == .again(at: Attempts.now, as: .usual))
        #expect(first.service == .newConnection)
        let second = verdict(.brokenOff(reason: "GOAWAY"), Attempts.attempt(number: 2))
        #expect(Attempts.isAgain(second.outcome, after: 15))
        #expect(Attempts.isAgain(verdict(.unanswered(reason: "x")).outcome, after: 5))
    }

    @Test(arguments: ["", "no", "[]", #"{"reason":7}"#, #"{"reason":"\u0000","timestamp":"x"}"#, "{"])
    func `a body of another form has no reason`(_ body: String) {
        let error = APNsError(PushResponse(status: 400, body: Array(body.utf8)))
        #expect(error.reason == "")
        #expect(error.timestamp == nil)
    }
}
