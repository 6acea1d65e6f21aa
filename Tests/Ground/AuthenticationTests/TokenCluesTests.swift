import Crypto
import Digits
import Model
import Testing
@testable import Authentication

struct TokenCluesTests {
    private func token(_ header: String, _ payload: String) -> String {
        [header, payload, "signature"].map { String(decoding: Base64.url.encode(Array($0.utf8)), as: UTF8.self) }
            .joined(separator: ".")
    }

    @Test func `a token names its issuer, its audience and its key`() {
        let clues = TokenClues(
            token(
                #"{"alg":"RS256","kid":"2024-a"}"#,
                #"{"iss":"https://id.example","aud":["account","films"],"sub":"secret-name"}"#))
        #expect(clues.issuer == "https://id.example")
        #expect(clues.audience == "account,films")
        #expect(clues.keyID == "2024-a")
        #expect(clues.algorithm == "RS256")
        #expect(!"\(clues)".contains("secret-name"))
    }

    @Test func `a long value is cut off, and no token has no clues`() {
        let clues = TokenClues(token(#"{"alg":"RS256"}"#, #"{"iss":"\#(String(repeating: "x", count: 5000))"}"#))
        #expect(clues.issuer?.count == 101)
        #expect(clues.keyID == nil && clues.audience == nil)
        for text in ["", "no token", "a.b.c", String(repeating: "x", count: 100_000)] {
            #expect(TokenClues(text) == TokenClues(""))
        }
    }

    @Test func `every reason has a word of its own, and those that a person can mend have different ones`() {
        let failures: [AuthenticationFailure] = [
            .issuerUnknown, .audienceWrong, .badSignature, .expired(at: 1), .keyUnknown(issuer: "i"),
            .keysMissing(issuer: "i"),
            .notYetValid, .algorithmRefused, .malformed, .headerRefused, .subjectInvalid,
        ]
        #expect(Set(failures.map(\.word)).count == failures.count)
    }
}
