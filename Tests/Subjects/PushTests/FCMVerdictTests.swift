import Model
import TestSupport
import Testing
@testable import Push

struct FCMVerdictTests {
    private func verdict(_ answer: PushAnswer, _ attempt: PushAttempt = Attempts.attempt()) -> PushVerdict {
        var random = SeededRandom(seed: 1)
        return PushVerdict.fcm(answer, attempt, using: &random)
    }

    private func answer(
        _ status: Int, _ code: String, message: String = "x", field: String? = nil, retryAfter: String? = nil
    ) -> PushAnswer {
        let violation = field.map {
            #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#($0)"}]},"#
        }
        let body = """
            {"error":{"code":\(status),"message":"\(message)","status":"OTHER","details":[\(violation ?? "")
             {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\(code)"}]}}
            """
        return Attempts.answer(status, body, retryAfter: retryAfter)
    }

    @Test func `200 is sent, and the name of the message is kept`() {
        let verdict = verdict(Attempts.answer(200, #"{"name":"projects/film-1/messages/0:1%a"}"#))
        #expect(verdict.outcome == .sent)
        #expect(verdict.line == "200 projects/film-1/messages/0:1%a")
    }

    @Test(arguments: [(404, "UNREGISTERED"), (403, "SENDER_ID_MISMATCH"), (400, "UNREGISTERED")])
    func `a device that FCM does not know is removed`(_ status: Int, _ code: String) {
        let verdict = verdict(answer(status, code))
        #expect(verdict.outcome == .dropped)
        #expect(verdict.device == .removed(reason: "\(status) \(code)"))
    }

    @Test func `a wrong argument removes the device if it is its token`() {
        let answers = [
            answer(400, "INVALID_ARGUMENT", field: "message.token"),
            answer(400, "INVALID_ARGUMENT", field: "message.fid"),
            answer(
                400, "INVALID_ARGUMENT", message: "The registration token is not a valid FCM registration token"),
        ]
        for answer in answers {
            #expect(verdict(answer).device == .removed(reason: "400 INVALID_ARGUMENT"))
            #expect(verdict(answer).outcome == .dropped)
        }
    }

    @Test func `any other wrong argument is our mistake`() {
        let answers = [
            answer(400, "INVALID_ARGUMENT"), answer(400, "INVALID_ARGUMENT", field: "message.android.ttl"),
            answer(400, "INVALID_ARGUMENT", message: "Recipient of the message is not set.", field: "message"),
            Attempts.answer(400, "Bad Request"), Attempts.answer(404, "Not Found"), answer(404, "NEWS"),
            Attempts.answer(413), Attempts.answer(418),
        ]
        for answer in answers {
            #expect(verdict(answer).outcome == .dead)
            #expect(verdict(answer).device == .kept)
        }
    }

    @Test(arguments: [
        (401, "THIRD_PARTY_AUTH_ERROR"), (401, ""), (403, ""), (403, "NEWS"), (400, "THIRD_PARTY_AUTH_ERROR"),
    ])
    func `a refused token is renewed once, then the platform waits`(_ status: Int, _ code: String) {
        let old = verdict(answer(status, code), Attempts.attempt(tokenSeconds: 61))
        #expect(old.outcome == .again(at: Attempts.now, as: .usual))
        #expect(old.service == .newToken)
        let young = verdict(answer(status, code), Attempts.attempt(tokenSeconds: 60))
        #expect(young.service == .keyRefused(until: Attempts.later(600)))
        #expect(young.outcome == .again(at: Attempts.later(600), as: .usual))
    }

    @Test(
        arguments: [
            (nil, nil, 60), ("7", nil, 60), ("90", nil, 90), (nil, 60, 120), ("90", 60, 120), ("9999", nil, 3_600),
            (nil, 3_600, 3_600),
        ] as [(String?, Int64?, Int64)])
    func `a quota that is used up holds the platform, twice as long each time`(
        _ retryAfter: String?, _ last: Int64?, _ seconds: Int64
    ) {
        for code in ["QUOTA_EXCEEDED", ""] {
            var attempt = Attempts.attempt()
            attempt.servicePause = last.map { $0 * 1000 }
            let verdict = verdict(answer(429, code, retryAfter: retryAfter), attempt)
            #expect(verdict.service == .waits(until: Attempts.later(seconds), milliseconds: seconds * 1000))
            #expect(verdict.outcome == .again(at: Attempts.later(seconds), as: .usual))
            #expect(verdict.isFailure)
        }
    }

    @Test(arguments: [
        (500, "INTERNAL"), (503, "UNAVAILABLE"), (502, ""), (500, "NEWS"), (302, ""), (0, ""), (999, ""),
    ])
    func `trouble of the service is tried again, not before ten seconds`(_ status: Int, _ code: String) {
        #expect(verdict(answer(status, code)).outcome == .again(at: Attempts.later(10), as: .usual))
        let third = verdict(answer(status, code), Attempts.attempt(number: 3))
        #expect(Attempts.isAgain(third.outcome, after: 60))
        let asked = verdict(answer(status, code, retryAfter: "33"))
        #expect(asked.outcome == .again(at: Attempts.later(33), as: .usual))
        #expect(asked.service == .none)
    }

    @Test func `without an answer it is tried again on a new connection`() {
        #expect(verdict(.brokenOff(reason: "x")).outcome == .again(at: Attempts.now, as: .usual))
        #expect(Attempts.isAgain(verdict(.brokenOff(reason: "x"), Attempts.attempt(number: 2)).outcome, after: 15))
        let none = verdict(.unanswered(reason: "x"))
        #expect(Attempts.isAgain(none.outcome, after: 5))
        #expect(none.service == .newConnection)
    }

    @Test(arguments: [
        "", "<html>", "[]", #"{"error":7}"#, #"{"error":{"details":{}}}"#, #"{"error":{"details":[7,{}]}}"#,
        #"{"error":{"status":"UNREGISTERED","details":[{"@type":"x","errorCode":"UNREGISTERED"}]}}"#,
    ])
    func `a body of another form has no error code`(_ body: String) {
        let error = FCMError(PushResponse(status: 404, body: Array(body.utf8)))
        #expect(error == FCMError(PushResponse(status: 404)))
        #expect(error.code == "")
    }
}
