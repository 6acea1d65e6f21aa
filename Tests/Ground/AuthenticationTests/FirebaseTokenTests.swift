import Authentication
import Crypto
import JSON
import Model
import TestSupport
import Testing

@Suite struct FirebaseTokenTests {
    private let issuer: Issuer
    private let verifier: TokenVerifier
    private let now = Timestamp(seconds: 1_800_000_000)

    init() throws {
        issuer = try Issuer()
        let keys = try JSONWebKeySet(parsing: issuer.published)
        verifier = TokenVerifier(
            secret: try ServerSecret(),
            issuers: [TrustedIssuer(firebaseProject: "film-night", keys: keys)]
        )
    }

    private func payload(
        iss: String = "https://securetoken.google.com/film-night",
        aud: String = "film-night",
        times: String = #""iat":1799999000,"auth_time":1799990000,"exp":1800002600"#
    ) -> String {
        #"{"iss":"\#(iss)","aud":"\#(aud)",\#(times),"sub":"Xy12AbCdEf","user_id":"Xy12AbCdEf","#
            + #""firebase":{"identities":{},"sign_in_provider":"anonymous"}}"#
    }

    @Test func `an ID token of the project is accepted`() throws {
        let claims = try verifier.verify(try issuer.token(.rs256, payload: payload()), at: now)
        #expect(claims.subject.text == "Xy12AbCdEf")
        #expect(!claims.isAdmin)
    }

    @Test func `an ID token of another project is refused`() throws {
        refuse(payload(iss: "https://securetoken.google.com/other", aud: "other"), .issuerUnknown)
        refuse(payload(aud: "other"), .audienceWrong)
        refuse(payload(iss: "https://session.firebase.google.com/film-night"), .issuerUnknown)
    }

    @Test(
        arguments: [
            (#""iat":1799999000,"exp":1800002600"#, .claimInvalid("auth_time")),
            (#""auth_time":1799990000,"exp":1800002600"#, .claimInvalid("iat")),
            (#""iat":1799999000,"auth_time":"1799990000","exp":1800002600"#, .claimInvalid("auth_time")),
            (#""iat":1799999000,"auth_time":1800000061,"exp":1800002600"#, .notYetValid),
            (#""iat":1800000061,"auth_time":1799990000,"exp":1800002600"#, .notYetValid),
            (#""iat":1799999000,"auth_time":1799990000"#, .expiryMissing),
            (#""iat":1799999000,"auth_time":1799990000,"exp":1800000000"#, .expired(at: 1_800_000_000)),
        ] as [(String, AuthenticationFailure)]
    )
    func `a token without a claim that Firebase promises is refused`(times: String, failure: AuthenticationFailure) {
        refuse(payload(times: times), failure)
    }

    @Test func `a token with another algorithm, or with a key that has no name, is refused`() throws {
        #expect(throws: AuthenticationFailure.algorithmRefused) {
            _ = try verifier.verify(try issuer.token(.es256, payload: payload()), at: now)
        }
        #expect(throws: AuthenticationFailure.headerRefused) {
            _ = try verifier.verify(try issuer.token(.rs256, header: #"{"alg":"RS256"}"#, payload: payload()), at: now)
        }
    }

    private func refuse(
        _ payload: String,
        _ failure: AuthenticationFailure,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: failure, sourceLocation: sourceLocation) {
            _ = try verifier.verify(try issuer.token(.rs256, payload: payload), at: now)
        }
    }
}
