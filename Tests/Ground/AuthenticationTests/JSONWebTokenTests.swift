import Authentication
import Crypto
import Digits
import JSON
import Model
import Testing

@Suite struct JSONWebTokenTests {
    private let secret: ServerSecret
    private let alice: UserID
    private let bob: UserID
    private let now = Timestamp(seconds: 1_800_000_000)

    init() throws {
        secret = try ServerSecret()
        alice = try #require(UserID("alice"))
        bob = try #require(UserID("bob"))
    }

    @Test func `a signed token is verified`() throws {
        let claims = Claims(
            subject: alice,
            scopes: ["admin", "read"],
            expiresAt: Timestamp(seconds: 1_800_000_060),
            tokenID: "t-1",
            issuedAt: now
        )
        let token = JSONWebToken.sign(claims, issuedAt: now, with: secret)
        #expect(try JSONWebToken.verify(token, with: secret, at: now) == claims)
        #expect(claims.isAdmin)
    }

    @Test func `roles are a list of texts, and a text that no rule can name is left out`() throws {
        let roles = try ["editor", "librarian"].map { try #require(RoleName($0)) }
        let claims = Claims(
            subject: alice, roles: Set(roles), expiresAt: Timestamp(seconds: 1_800_000_060), issuedAt: now)
        let token = JSONWebToken.sign(claims, issuedAt: now, with: secret)
        #expect(try JSONWebToken.verify(token, with: secret, at: now) == claims)
        let other = signed(payload: #"{"sub":"bob","exp":1900000000,"roles":["editor","a b","","é"]}"#)
        #expect(try JSONWebToken.verify(other, with: secret, at: now).roles == [roles[0]])
        let many = (0...Claims.rolesMax).map { #""r\#($0)""# }.joined(separator: ",")
        for bad in [#""editor""#, "[1]", #"{"editor":true}"#, "[\(many)]"] {
            let token = signed(payload: #"{"sub":"bob","exp":1900000000,"roles":\#(bad)}"#)
            #expect(throws: AuthenticationFailure.claimInvalid("roles")) {
                _ = try JSONWebToken.verify(token, with: secret, at: now)
            }
        }
    }

    @Test func `a token of another library is accepted`() throws {
        // Other spacing, order and number form, and a claim that we do not know.
        let token = signed(
            header: #"{ "typ":"JWT", "alg":"HS256" }"#,
            payload: #"{"sub":"bob","exp":1.80000001e9,"x":[]}"#
        )
        let claims = try JSONWebToken.verify(token, with: secret, at: now)
        #expect(claims.subject.text == "bob")
        #expect(claims.expiresAt == Timestamp(seconds: 1_800_000_010))
        #expect(!claims.isAdmin)
    }

    @Test func `the secret of another server does not fit`() throws {
        let token = try ours()
        let other = try ServerSecret()
        #expect(throws: AuthenticationFailure.audienceWrong) {
            _ = try JSONWebToken.verify(token, with: other, at: now)
        }
        // Without an audience, the error can only be that the signature does not match.
        let bare = signed(payload: #"{"sub":"bob","exp":1900000000}"#)
        #expect(throws: AuthenticationFailure.badSignature) {
            _ = try JSONWebToken.verify(bare, with: other, at: now)
        }
    }

    @Test func `a token bears an audience made from the secret, and one for another server is refused`() throws {
        let parts = try ours().split(separator: ".").map(String.init)
        let payload = try JSONValue(parsing: #require(Base64.url.decode(Array(parts[1].utf8))))
        let audience = try #require(payload["aud"]?.stringValue)
        let again = try ours().split(separator: ".")[1]
        #expect(again == parts[1], "made from the secret alone")
        #expect(!audience.isEmpty && audience.utf8.count <= 16)
        let rest = #""sub":"bob","exp":1900000000"#
        for good in ["", #","aud":"\#(audience)""#, #","aud":["x","\#(audience)"]"#] {
            #expect(try JSONWebToken.verify(signed(payload: "{\(rest)\(good)}"), with: secret, at: now).subject == bob)
        }
        for bad in [#""x""#, #"["x"]"#, "[]", #""\#(audience)x""#] {
            refuse(signed(payload: "{\(rest),\"aud\":\(bad)}"), .audienceWrong)
        }
        for bad in ["7", "null", "{}", "[7]"] {
            refuse(signed(payload: "{\(rest),\"aud\":\(bad)}"), .claimInvalid("aud"))
        }
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"hs256"}"#, #"{"alg":"HS384"}"#, #"{"alg":"HS512"}"#,
        #"{"alg":"RS256"}"#, #"{"alg":"ES256"}"#, #"{"alg":"HS256 "}"#, #"{"alg":""}"#, #"{"alg":null}"#, "{}",
        #"{"alg":["HS256"]}"#, #"{"ALG":"HS256"}"#,
    ])
    func `any algorithm but HS256 is refused, although the signature is good`(header: String) {
        refuse(signed(header: header, payload: #"{"sub":"bob","exp":1900000000}"#), .algorithmRefused)
    }

    @Test(arguments: [
        #"{"alg":"HS256","crit":["b64"],"b64":false}"#, #"{"alg":"HS256","crit":[]}"#, #"{"alg":"HS256","typ":"JWE"}"#,
        #"{"alg":"HS256","typ":1}"#,
    ])
    func `a header that asks for more is refused`(header: String) {
        refuse(signed(header: header, payload: #"{"sub":"bob","exp":1900000000}"#), .headerRefused)
    }

    @Test(arguments: [
        #"{"alg":"HS256","alg":"HS256"}"#, #"{"alg":"none","alg":"HS256"}"#, #"["HS256"]"#, #""HS256""#, "", "{",
        #"{"alg":"HS256"} {}"#, "\u{feff}{\"alg\":\"HS256\"}",
    ])
    func `a header that is not a strict JSON object is malformed`(header: String) {
        refuse(signed(header: header, payload: #"{"sub":"bob","exp":1900000000}"#), .malformed)
    }

    @Test(arguments: [
        #"{"sub":"bob","sub":"alice","exp":1900000000}"#, #"{"sub":"bob","exp":1,"exp":1900000000}"#, "[]", "", "null",
    ])
    func `a payload that is not a strict JSON object is malformed`(payload: String) {
        refuse(signed(payload: payload), .malformed)
    }

    @Test func `the algorithm none without a signature is refused`() {
        let token = signed(header: #"{"alg":"none"}"#, payload: #"{"sub":"bob","exp":1900000000}"#)
        let bare = token.split(separator: ".").prefix(2).joined(separator: ".") + "."
        refuse(bare, .algorithmRefused)
    }

    @Test func `every changed byte of a token is refused`() throws {
        let token = Array(try ours().utf8)
        for index in token.indices {
            for flip in [UInt8(1), 2, 4, 8, 16, 32, 64] {
                var changed = token
                changed[index] ^= flip
                let text = String(decoding: changed, as: UTF8.self)
                #expect(throws: AuthenticationFailure.self) {
                    _ = try JSONWebToken.verify(text, with: secret, at: now)
                }
            }
        }
    }

    @Test func `every bit of the signature counts`() throws {
        let parts = try ours().split(separator: ".").map(String.init)
        let signature = try #require(Base64.url.decode(Array(parts[2].utf8)))
        for bit in 0..<256 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            refuse(parts[0] + "." + parts[1] + "." + text(changed), .badSignature)
        }
        refuse(parts[0] + "." + parts[1] + "." + text(signature + [0]), .badSignature)
        refuse(parts[0] + "." + parts[1] + "." + text(Array(signature.dropLast())), .badSignature)
        refuse(parts[0] + "." + parts[1] + ".", .badSignature)
    }

    @Test func `every cut of a token is refused`() throws {
        let token = try ours()
        for length in 0..<token.utf8.count {
            #expect(throws: AuthenticationFailure.self) {
                _ = try JSONWebToken.verify(String(token.prefix(length)), with: secret, at: now)
            }
        }
    }

    @Test func `other forms are malformed`() throws {
        let token = try ours()
        for text in ["", ".", "..", "...", token + ".", token + "=", token + " ", " " + token, token + "." + token] {
            #expect(throws: AuthenticationFailure.malformed) {
                _ = try JSONWebToken.verify(text, with: secret, at: now)
            }
        }
        refuse(String(repeating: "A", count: 8193), .tooLong)
    }

    @Test(
        arguments: [
            (#"{"sub":"bob"}"#, .expiryMissing), (#"{"sub":"bob","exp":"1900000000"}"#, .claimInvalid("exp")),
            (#"{"sub":"bob","exp":null}"#, .claimInvalid("exp")), (#"{"sub":"bob","exp":-1}"#, .claimInvalid("exp")),
            (#"{"sub":"bob","exp":-9223372036854775808}"#, .claimInvalid("exp")),
            (#"{"sub":"bob","exp":9223372036854775807}"#, .claimInvalid("exp")),
            (#"{"sub":"bob","exp":1e300}"#, .claimInvalid("exp")), (#"{"sub":"bob","exp":-0.5}"#, .claimInvalid("exp")),
            (#"{"sub":"bob","exp":true}"#, .claimInvalid("exp")),
            (#"{"sub":"bob","exp":[1900000000]}"#, .claimInvalid("exp")),
            (#"{"sub":"bob","exp":1800000000}"#, .expired(at: 1_800_000_000)),
            (#"{"sub":"bob","exp":1799999999.999}"#, .expired(at: 1_799_999_999)),
            (#"{"sub":"bob","exp":0}"#, .expired(at: 0)),
            (#"{"sub":"bob","exp":1900000000,"nbf":1800000061}"#, .notYetValid),
            (#"{"sub":"bob","exp":1900000000,"iat":1800000061}"#, .notYetValid),
            (#"{"sub":"bob","exp":1900000000,"nbf":"soon"}"#, .claimInvalid("nbf")),
            (#"{"sub":"bob","exp":1900000000,"iat":-5}"#, .claimInvalid("iat")),
            (#"{"exp":1900000000}"#, .subjectMissing), (#"{"sub":"","exp":1900000000}"#, .subjectInvalid),
            (#"{"sub":7,"exp":1900000000}"#, .subjectInvalid), (#"{"sub":null,"exp":1900000000}"#, .subjectInvalid),
            (#"{"sub":"a b","exp":1900000000}"#, .subjectInvalid),
            (#"{"sub":"room","exp":1900000000}"#, .subjectInvalid),
            (#"{"sub":"bob","exp":1900000000,"scope":["admin"]}"#, .claimInvalid("scope")),
            (#"{"sub":"bob","exp":1900000000,"jti":7}"#, .claimInvalid("jti")),
            (#"{"sub":"bob","exp":1900000000,"jti":""}"#, .claimInvalid("jti")),
        ] as [(String, AuthenticationFailure)]
    )
    func `a claim that is missing or wrong is refused by name`(payload: String, failure: AuthenticationFailure) {
        refuse(signed(payload: payload), failure)
    }

    @Test(arguments: [
        #"{"sub":"bob","exp":1800000001}"#, #"{"sub":"bob","exp":1800000000.001}"#,
        #"{"sub":"bob","exp":1900000000,"nbf":1800000060}"#, #"{"sub":"bob","exp":1900000000,"iat":1800000060}"#,
        #"{"sub":"bob","exp":253402300799}"#, #"{"sub":"bob","exp":1900000000,"iss":7}"#,
    ])
    func `a token at the edge of its times is accepted`(payload: String) throws {
        #expect(try JSONWebToken.verify(signed(payload: payload), with: secret, at: now).subject.text == "bob")
    }

    @Test(arguments: [
        ("admin", true), ("read admin", true), ("read  admin write", true), ("", false), ("administrator", false),
        ("ADMIN", false), ("read,admin", false),
    ])
    func `the scope admin is one word among words`(scope: String, isAdmin: Bool) throws {
        let token = signed(payload: #"{"sub":"bob","exp":1900000000,"scope":"\#(scope)"}"#)
        #expect(try JSONWebToken.verify(token, with: secret, at: now).isAdmin == isAdmin)
    }

    @Test func `each failure has a sentence of its own`() {
        let failures: [AuthenticationFailure] = [
            .malformed, .tooLong, .algorithmRefused, .headerRefused, .badSignature, .expiryMissing, .expired(at: 1),
            .notYetValid, .subjectMissing, .subjectInvalid, .claimInvalid("exp"), .claimInvalid("jti"),
        ]
        #expect(Set(failures.map(\.description)).count == failures.count)
        #expect(failures.filter(\.isExpired) == [.expired(at: 1)])
    }

    private func ours() throws -> String {
        JSONWebToken.sign(
            Claims(subject: alice, expiresAt: Timestamp(seconds: 1_800_000_100)),
            issuedAt: now,
            with: secret
        )
    }

    private func signed(header: String = #"{"alg":"HS256","typ":"JWT"}"#, payload: String) -> String {
        let signed = text(Array(header.utf8)) + "." + text(Array(payload.utf8))
        return signed + "." + text(secret.authenticate(Array(signed.utf8)))
    }

    private func text(_ bytes: [UInt8]) -> String {
        Base64.url.text(of: bytes)
    }

    private func refuse(
        _ token: String,
        _ failure: AuthenticationFailure,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: failure, sourceLocation: sourceLocation) {
            _ = try JSONWebToken.verify(token, with: secret, at: now)
        }
    }

    @Test func `a token's name is never taken for an option of a command line`() {
        let names = (0..<2000).map { _ in Claims.newTokenID() }
        #expect(names.allSatisfy { $0.utf8.count == 15 && $0.first.map { $0.isLetter || $0.isNumber } == true })
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: SignatureAlgorithm.allCases, [nil, "ABC123DEFG"])
    func `a token signed for others has its algorithm, its key's name and its claims`(
        algorithm: SignatureAlgorithm, keyID: String?
    ) throws {
        let key = try SigningKey(algorithm)
        let claims: JSONValue = ["iss": "TEAM", "iat": 1_800_000_000, "text": "ż\""]
        let token = try JSONWebToken.sign(claims, keyID: keyID, with: key)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
        #expect(parts.count == 3)
        let decoded = try parts.map { try #require(Base64.url.decode($0)) }
        var header: JSONValue = ["alg": .string(algorithm.rawValue), "typ": "JWT"]
        if let keyID { header["kid"] = .string(keyID) }
        #expect(try JSONValue(parsing: decoded[0]) == header)
        #expect(try JSONValue(parsing: decoded[1]) == claims)
        let verifier = try VerificationKey(key.publicKey)
        #expect(verifier.verifies(decoded[2], of: parts[0] + [UInt8(ascii: ".")] + parts[1]))
    }
}
