import JSON
import Model
import Testing
@testable import Push

struct VAPIDTokensTests {
    private let start = Samples.at
    private var tokens = VAPIDTokens(contact: "mailto:admin@example.org")

    private func proof(
        _ tokens: inout VAPIDTokens, _ url: String = "https://push.example.org:8443/a", key: String = "BK",
        after milliseconds: Int64 = 0
    ) throws -> VAPIDTokens.Proof? {
        let endpoint = try #require(WebAddress(url))
        return tokens.proof(for: endpoint, publicKey: key, at: start.adding(milliseconds: milliseconds)) { statement in
            "\(statement.origin) \(statement.publicKey) \(statement.contact) \(statement.expiresAt.milliseconds)"
        }
    }

    @Test func `a proof names the origin, the contact and an end in twelve hours`() throws {
        var tokens = tokens
        let end = start.milliseconds + 43_200_000
        #expect(
            try proof(&tokens)?.authorization == "https://push.example.org:8443 BK mailto:admin@example.org \(end)")
    }

    @Test func `one proof serves an origin for six hours`() throws {
        var tokens = tokens
        let first = try proof(&tokens)
        #expect(try proof(&tokens, "https://push.example.org:8443/b", after: 21_599_999) == first)
        #expect(try proof(&tokens, after: 21_600_000) != first)
        #expect(tokens.count == 1)
    }

    @Test func `another port and another key have proofs of their own`() throws {
        var tokens = tokens
        let first = try proof(&tokens)
        #expect(try proof(&tokens, "https://push.example.org/a") != first)
        #expect(try proof(&tokens, key: "BL") != first)
        #expect(tokens.count == 3)
    }

    @Test func `a refused proof is made again, and one from a clock that was ahead`() throws {
        var tokens = tokens
        let first = try proof(&tokens)
        tokens.forget(try #require(WebAddress("https://push.example.org:8443/z")))
        let second = try proof(&tokens, after: 1_000)
        #expect(second != first)
        #expect(try proof(&tokens, after: -86_400_000) != second)
    }

    @Test func `a key that is not ours has no proof, and none is kept`() throws {
        var tokens = tokens
        #expect(tokens.proof(for: Samples.endpoint, publicKey: "BX", at: start) { _ in nil } == nil)
        #expect(tokens.count == 0)
    }

    @Test func `origins without end take a bounded memory`() throws {
        var tokens = tokens
        for number in 0..<3_000 {
            _ = try proof(&tokens, "https://p\(number).example/", after: Int64(number))
            #expect(tokens.count <= PushLimits.vapidOriginsMax)
        }
        let last = try proof(&tokens, "https://p2999.example/", after: 4_000)
        #expect(last?.made == start.adding(milliseconds: 2_999))
    }
}

struct APNsTokensTests {
    private func token(_ tokens: inout APNsTokens, minutes: Int64) -> APNsTokens.Token {
        tokens.token(at: Samples.at.adding(milliseconds: minutes * 60_000)) { "\($0.keyID ?? "") \($0.claims.text)" }
    }

    @Test func `a token names the key, the team and the time`() {
        var tokens = APNsTokens(keyID: "KEY4567890", team: "TEAM567890")
        #expect(token(&tokens, minutes: 0).text == #"KEY4567890 {"iss":"TEAM567890","iat":1795600800}"#)
    }

    @Test func `a token lives for three quarters of an hour`() {
        var tokens = APNsTokens(keyID: "K", team: "T")
        let first = token(&tokens, minutes: 0)
        #expect(token(&tokens, minutes: 44) == first)
        #expect(token(&tokens, minutes: 45) != first)
    }

    @Test func `a refused token is not made again within twenty minutes`() {
        var tokens = APNsTokens(keyID: "K", team: "T")
        let first = token(&tokens, minutes: 0)
        tokens.refuse(first.made)
        #expect(token(&tokens, minutes: 19) == first)
        let second = token(&tokens, minutes: 20)
        #expect(second != first)
        tokens.refuse(first.made)
        #expect(token(&tokens, minutes: 41) == second, "the refusal was about the token before")
    }

    @Test func `a clock that was put back by an hour makes a new token`() {
        var tokens = APNsTokens(keyID: "K", team: "T")
        let first = token(&tokens, minutes: 0)
        #expect(token(&tokens, minutes: -10) == first)
        #expect(token(&tokens, minutes: -60) != first)
    }

    @Test(arguments: [(age: 0, isUsed: true), (44, true), (45, false), (-1, false)] as [(age: Int64, isUsed: Bool)])
    func `a token of an earlier process is used while it is young, and not from the future`(age: Int64, isUsed: Bool) {
        var tokens = APNsTokens(keyID: "K", team: "T")
        let kept = APNsTokens.Token(text: "kept", made: Samples.at.adding(milliseconds: -age * 60_000))
        tokens.resume(kept, at: Samples.at)
        #expect((token(&tokens, minutes: 0) == kept) == isUsed)
    }

    @Test func `any sequence of times and refusals keeps to both bounds`() {
        for step in [1, 3, 7, 20, 44, 46] as [Int64] {
            var tokens = APNsTokens(keyID: "K", team: "T")
            var last = token(&tokens, minutes: 0)
            for minutes in stride(from: step, to: 2_000, by: Int(step)) {
                tokens.refuse(last.made)
                let next = token(&tokens, minutes: Int64(minutes))
                let age = Samples.at.milliseconds + Int64(minutes) * 60_000 - next.made.milliseconds
                #expect(age < 3_600_000)
                if next != last { #expect(next.made.milliseconds - last.made.milliseconds >= 20 * 60_000) }
                last = next
            }
        }
    }
}

struct FCMTokensTests {
    private let start = Samples.at
    private let grant = FCMGrant(
        email: "push@film-1.iam.gserviceaccount.com", keyID: "k1", tokenURL: "https://oauth2.googleapis.com/token")

    private func after(_ seconds: Int64) -> Timestamp { start.adding(milliseconds: seconds * 1000) }

    private func granted(_ text: String, for seconds: Int64, at time: Timestamp) -> FCMGrant.Answer {
        let body = Array(#"{"access_token":"\#(text)","expires_in":\#(seconds),"token_type":"Bearer"}"#.utf8)
        return FCMGrant.read(.answered(PushResponse(status: 200, body: body)), at: time)
    }

    @Test func `one request is made, however many pushes wait`() {
        var tokens = FCMTokens()
        #expect(tokens.need(at: start) == FCMTokens.Need(token: nil, fetches: true))
        #expect(tokens.need(at: start) == FCMTokens.Need(token: nil, fetches: false))
        tokens.end(granted("a", for: 3_600, at: start), at: start)
        #expect(tokens.need(at: start).token?.text == "a")
        #expect(!tokens.need(at: start).fetches)
    }

    @Test func `a token is renewed in its last five minutes, and used until its end`() {
        var tokens = FCMTokens()
        _ = tokens.need(at: start)
        tokens.end(granted("a", for: 3_600, at: start), at: start)
        #expect(!tokens.need(at: after(3_299)).fetches)
        let need = tokens.need(at: after(3_300))
        #expect(need.fetches && need.token?.text == "a")
        #expect(tokens.need(at: after(3_599)) == FCMTokens.Need(token: need.token, fetches: false))
        #expect(tokens.need(at: after(3_600)) == FCMTokens.Need(token: nil, fetches: false))
        tokens.end(granted("b", for: 3_600, at: after(3_601)), at: after(3_601))
        #expect(tokens.need(at: after(3_602)).token?.text == "b")
    }

    @Test func `a request that failed is made again later and later`() {
        var tokens = FCMTokens()
        var now = start
        var pauses: [Int64] = []
        for _ in 0..<8 {
            #expect(tokens.need(at: now).fetches)
            let next = tokens.end(.failed(reason: "503"), at: now) ?? now
            #expect(!tokens.need(at: next.adding(milliseconds: -1)).fetches)
            pauses.append((next.milliseconds - now.milliseconds) / 1000)
            now = next
        }
        #expect(pauses == [5, 15, 60, 300, 600, 600, 600, 600])
    }

    @Test func `after a refusal the platform is asked again in ten minutes`() {
        var tokens = FCMTokens()
        _ = tokens.need(at: start)
        #expect(tokens.end(.refused(reason: "400 invalid_grant"), at: start) == after(600))
    }

    @Test func `a token that FCM refused is forgotten, and only that one`() {
        var tokens = FCMTokens()
        _ = tokens.need(at: start)
        tokens.end(granted("a", for: 3_600, at: start), at: start)
        tokens.forget(after(-1))
        #expect(tokens.need(at: start).token != nil)
        tokens.forget(start)
        #expect(tokens.need(at: start) == FCMTokens.Need(token: nil, fetches: true))
    }

    @Test func `the request is the grant of RFC 7523`() {
        let request = grant.request(at: start) { unsigned in
            #expect(unsigned.keyID == "k1")
            #expect(
                unsigned.claims.text == """
                    {"iss":"push@film-1.iam.gserviceaccount.com",\
                    "scope":"https://www.googleapis.com/auth/firebase.messaging",\
                    "aud":"https://oauth2.googleapis.com/token","iat":1795600800,"exp":1795604400}
                    """)
            return "h.c.s-_"
        }
        #expect(request.url == "https://oauth2.googleapis.com/token")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(
            Samples.text(request.body)
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=h.c.s-_")
    }

    @Test(arguments: [
        (
            400, #"{"error":"invalid_grant","error_description":"x"}"#,
            FCMGrant.Answer.refused(reason: "400 invalid_grant")
        ),
        (401, "", .refused(reason: "401")), (429, "", .failed(reason: "429")), (503, "<html>", .failed(reason: "503")),
        (200, "{}", .failed(reason: "200")), (200, "no", .failed(reason: "200")),
        (200, #"{"access_token":"a b","expires_in":3600}"#, .failed(reason: "200")),
        (200, #"{"access_token":"a","expires_in":0}"#, .failed(reason: "200")),
        (200, #"{"access_token":"a","expires_in":99999999}"#, .failed(reason: "200")),
        (302, "", .failed(reason: "302")),
    ])
    func `every answer for a token has a meaning`(_ status: Int, _ body: String, _ meaning: FCMGrant.Answer) {
        #expect(FCMGrant.read(.answered(PushResponse(status: status, body: Array(body.utf8))), at: start) == meaning)
    }

    @Test func `no answer is a failure`() {
        #expect(FCMGrant.read(.unanswered(reason: "no such host"), at: start) == .failed(reason: "no such host"))
    }
}
