import Authentication
import Crypto
import Digits
import JSON
import Model
import TestSupport
import Testing

@Suite struct TokenVerifierTests {
    private let secret: ServerSecret
    private let issuer: Issuer
    private let verifier: TokenVerifier
    private let now = Timestamp(seconds: 1_800_000_000)
    private let payload = #"{"iss":"https://issuer.example","aud":"app","sub":"bob","exp":1900000000}"#

    init() throws {
        secret = try ServerSecret()
        issuer = try Issuer()
        let keys = try JSONWebKeySet(parsing: issuer.published)
        verifier = TokenVerifier(
            secret: secret,
            issuers: [TrustedIssuer(issuer: Issuer.name, audience: "app", keys: keys)]
        )
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a token of a trusted issuer is accepted`(algorithm: SignatureAlgorithm) throws {
        let claims = try verifier.verify(try issuer.token(algorithm, payload: payload), at: now)
        #expect(claims.subject.text == "bob")
        #expect(claims.expiresAt == Timestamp(seconds: 1_900_000_000))
    }

    @Test func `roles of a trusted issuer count, and a wrong list of roles does not spoil the token`() throws {
        for (roles, names) in [(#"["editor"]"#, ["editor"]), (#"{"editor":true}"#, []), (#""editor""#, [])] {
            let payload = payload.dropLast() + #","roles":\#(roles)}"#
            let claims = try verifier.verify(try issuer.token(.es256, payload: String(payload)), at: now)
            #expect(claims.roles.map(\.text) == names)
        }
    }

    @Test func `the server's own tokens are accepted as well`() throws {
        let alice = try #require(UserID("alice"))
        let claims = Claims(subject: alice, expiresAt: Timestamp(seconds: 1_800_000_100), issuedAt: now)
        let token = JSONWebToken.sign(claims, issuedAt: now, with: secret)
        #expect(try verifier.verify(token, at: now) == claims)
    }

    /// RFC 7515, appendix A.2 and A.3; RFC 8037, appendix A.4: published keys and signatures.
    @Test(arguments: Published.examples)
    func `the examples of the standards are verified`(example: Published) throws {
        let set = try JSONWebKeySet(parsing: Array(#"{"keys":[\#(example.key)]}"#.utf8))
        let parts = example.token.split(separator: ".").map(String.init)
        let signature = try #require(Base64.url.decode(Array(parts[2].utf8)))
        let signed = Array((parts[0] + "." + parts[1]).utf8)
        #expect(set.keys[0].key.verifies(signature, of: signed))
        #expect(!set.keys[0].key.verifies(signature, of: signed + [0]))
    }

    @Test(arguments: ["none", "None", "", "HS384", "HS512", "RS384", "RS512", "PS256", "ES384", "rs256", "Ed25519"])
    func `another algorithm is refused, although the signature is good`(name: String) throws {
        for algorithm in SignatureAlgorithm.allCases {
            let token = try issuer.token(algorithm, header: #"{"alg":"\#(name)"}"#, payload: payload)
            refuse(token, .algorithmRefused)
        }
    }

    @Test func `a token that names another key's algorithm is refused`() throws {
        for signing in SignatureAlgorithm.allCases {
            for named in SignatureAlgorithm.allCases where named != signing {
                // By the key's own name, when its algorithm is another; and by the name of a key that did not sign.
                let own = #"{"alg":"\#(named.rawValue)","kid":"\#(signing.rawValue)"}"#
                refuse(try issuer.token(signing, header: own, payload: payload), .keyUnknown(issuer: Issuer.name))
                let other = #"{"alg":"\#(named.rawValue)","kid":"\#(named.rawValue)"}"#
                refuse(try issuer.token(signing, header: other, payload: payload), .badSignature)
            }
        }
    }

    @Test func `HMAC with a published key as the secret is refused`() throws {
        for secret in [issuer.published] + issuer.keys.flatMap({ forms(of: $0.key.publicKey) }) {
            let parts = [#"{"alg":"HS256","kid":"RS256"}"#, payload].map { Issuer.base64(Array($0.utf8)) }
            let signed = parts.joined(separator: ".")
            let code = HMAC.sha256(key: secret, message: Array(signed.utf8))
            refuse(signed + "." + Issuer.base64(code), .badSignature)
        }
    }

    @Test func `keys that the token brings along are not looked at`() throws {
        let thief = try Issuer()
        for algorithm in SignatureAlgorithm.allCases {
            let key = try #require(thief.keys.first { $0.key.algorithm == algorithm }).key
            let entry = Issuer.entry(key, keyID: algorithm.rawValue).text
            let header =
                #"{"alg":"\#(algorithm.rawValue)","kid":"\#(algorithm.rawValue)","jwk":\#(entry),"#
                + #""jku":"https://thief.example/keys","x5u":"https://thief.example/chain"}"#
            refuse(try thief.token(algorithm, header: header, payload: payload), .badSignature)
        }
    }

    @Test func `an unknown key and a bad signature are different failures`() throws {
        let header = #"{"alg":"ES256","kid":"next"}"#
        refuse(try issuer.token(.es256, header: header, payload: payload), .keyUnknown(issuer: Issuer.name))
        for kid in ["7", "null", "[]"] {
            let header = #"{"alg":"ES256","kid":\#(kid)}"#
            refuse(try issuer.token(.es256, header: header, payload: payload), .headerRefused)
        }
    }

    @Test func `without a key's name one key for the algorithm is clear, two are not`() throws {
        let header = #"{"alg":"ES256"}"#
        let token = try issuer.token(.es256, header: header, payload: payload)
        #expect(try verifier.verify(token, at: now).subject.text == "bob")
        let two = Issuer([("a", try SigningKey(.es256)), ("b", try SigningKey(.es256))])
        let trusting = TokenVerifier(
            secret: secret,
            issuers: [
                TrustedIssuer(issuer: Issuer.name, audience: "app", keys: try JSONWebKeySet(parsing: two.published))
            ]
        )
        #expect(throws: AuthenticationFailure.keyUnknown(issuer: Issuer.name)) {
            _ = try trusting.verify(try two.token(.es256, header: header, payload: payload), at: now)
        }
    }

    @Test(
        arguments: [
            (#"{"aud":"app","sub":"bob","exp":1900000000}"#, .issuerUnknown),
            (#"{"iss":"https://issuer.example/","aud":"app","sub":"bob","exp":1900000000}"#, .issuerUnknown),
            (#"{"iss":["https://issuer.example"],"aud":"app","sub":"bob","exp":1900000000}"#, .issuerUnknown),
            (#"{"iss":"https://issuer.example","sub":"bob","exp":1900000000}"#, .audienceWrong),
            (#"{"iss":"https://issuer.example","aud":"","sub":"bob","exp":1900000000}"#, .audienceWrong),
            (#"{"iss":"https://issuer.example","aud":"App","sub":"bob","exp":1900000000}"#, .audienceWrong),
            (#"{"iss":"https://issuer.example","aud":["other"],"sub":"bob","exp":1900000000}"#, .audienceWrong),
            (#"{"iss":"https://issuer.example","aud":["app",7],"sub":"bob","exp":1900000000}"#, .claimInvalid("aud")),
            (#"{"iss":"https://issuer.example","aud":7,"sub":"bob","exp":1900000000}"#, .claimInvalid("aud")),
            (#"{"iss":"https://issuer.example","aud":"app","sub":"bob"}"#, .expiryMissing),
            (#"{"iss":"https://issuer.example","aud":"app","exp":1900000000}"#, .subjectMissing),
            (#"{"iss":"https://issuer.example","aud":"app","sub":"bob","exp":9}"#, .expired(at: 9)),
        ] as [(String, AuthenticationFailure)]
    )
    func `a token for others or of others is refused`(payload: String, failure: AuthenticationFailure) throws {
        refuse(try issuer.token(.rs256, payload: payload), failure)
    }

    @Test func `a token for several is accepted by each`() throws {
        let payload = #"{"iss":"https://issuer.example","aud":["x","app"],"sub":"bob","exp":1900000000}"#
        #expect(try verifier.verify(try issuer.token(.edDSA, payload: payload), at: now).subject.text == "bob")
    }

    @Test func `one issuer's key does not sign for another`() throws {
        let other = try Issuer()
        var both = verifier
        let keys = try JSONWebKeySet(parsing: other.published)
        both.issuers.append(TrustedIssuer(issuer: "https://other.example", audience: "app", keys: keys))
        #expect(throws: AuthenticationFailure.badSignature) {
            _ = try both.verify(try other.token(.es256, payload: payload), at: now)
        }
        #expect(try both.verify(try issuer.token(.es256, payload: payload), at: now).subject.text == "bob")
    }

    @Test func `after a turn of the keys the old one is worth nothing`() throws {
        let old = try issuer.token(.es256, payload: payload)
        var turned = verifier
        turned.issuers[0].keys = try JSONWebKeySet(parsing: try Issuer().published)
        #expect(throws: AuthenticationFailure.badSignature) { _ = try turned.verify(old, at: now) }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `every changed byte of a token is refused`(algorithm: SignatureAlgorithm) throws {
        let token = Array(try issuer.token(algorithm, payload: payload).utf8)
        for index in token.indices {
            for flip in [UInt8(1), 4, 32] {
                var changed = token
                changed[index] ^= flip
                #expect(throws: AuthenticationFailure.self) {
                    _ = try verifier.verify(String(decoding: changed, as: UTF8.self), at: now)
                }
            }
        }
    }

    private func forms(of key: PublicKeyParameters) -> [[UInt8]] {
        switch key {
        case .rsa(let modulus, let exponent): [modulus, modulus + exponent]
        case .p256(let x, let y): [x, x + y, [4] + x + y]
        case .ed25519(let x): [x]
        }
    }

    private func refuse(
        _ token: String,
        _ failure: AuthenticationFailure,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: failure, sourceLocation: sourceLocation) { _ = try verifier.verify(token, at: now) }
    }

    @Test func `tokens of both secrets are accepted while the secret turns, and of one after it`() throws {
        let (old, new, other) = (try ServerSecret(), try ServerSecret(), try ServerSecret())
        let now = Timestamp(milliseconds: 1_795_000_000_000)
        let claims = Claims(
            subject: try #require(UserID("alice")), expiresAt: now.adding(milliseconds: 60_000))
        func token(_ secret: ServerSecret) -> String { JSONWebToken.sign(claims, issuedAt: now, with: secret) }
        var verifier = TokenVerifier(secret: new, older: [old])
        for secret in [old, new] {
            #expect(try verifier.verify(token(secret), at: now).subject == claims.subject)
        }
        #expect(throws: AuthenticationFailure.audienceWrong) { try verifier.verify(token(other), at: now) }
        // A token of one secret for the audience of the other one is nobody's.
        let mixed = JSONWebToken.sign(claims, issuedAt: now, with: new, audience: old.audience)
        #expect(throws: AuthenticationFailure.audienceWrong) { try verifier.verify(mixed, at: now) }
        verifier.accept([new])
        #expect(throws: AuthenticationFailure.audienceWrong) { try verifier.verify(token(old), at: now) }
        #expect(try verifier.verify(token(new), at: now).subject == claims.subject)
    }
}
