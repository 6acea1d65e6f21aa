import Authentication
import Crypto
import JSON
import Model
import TestSupport
import Testing

/// Tokens in the shapes in which providers make them, with keys of our own.
struct ProviderTokensTests {
    /// A token's claims beside `iss`, `aud`, `exp`, the names that the issuer is configured with, and the user and roles that they give.
    struct Shape: Sendable, CustomTestStringConvertible {
        let provider: String
        var user = "sub"
        var prefix = ""
        var spelling = ClaimNames.Spelling.plain
        var roles = "roles"
        let claims: String
        let isUser: String?
        var hasRoles: Set<String> = []
        var testDescription: String { "\(provider), user=\(user) spelling=\(spelling)" }
    }

    private static let keycloak = #"""
        "sub":"0f4ac1b8-5f3f-4f2a-9d53-8a3d5b2f6f11","typ":"Bearer","azp":"films","sid":"a1","acr":"1",
        "realm_access":{"roles":["default-roles-films","offline_access","editor"]},
        "resource_access":{"account":{"roles":["manage-account"]},"films":{"roles":["librarian"]}},
        "scope":"openid email profile","email_verified":true,"name":"Ada Lovelace","preferred_username":"ada","email":"ada+films@example.org"
        """#
    private static let auth0 = #"""
        "sub":"auth0|5f7c8ec7c33c6c004bbafe82","azp":"my_client_id","gty":"password","scope":"read:films",
        "https://films.example/roles":["editor","critic"]
        """#

    static let shapes = [
        Shape(provider: "Keycloak", claims: keycloak, isUser: "0f4ac1b8-5f3f-4f2a-9d53-8a3d5b2f6f11"),
        Shape(
            provider: "Keycloak", user: "preferred_username", roles: "realm_access.roles", claims: keycloak,
            isUser: "ada",
            hasRoles: ["default-roles-films", "offline_access", "editor"]),
        Shape(
            provider: "Keycloak", user: "email", spelling: .escaped, roles: "resource_access.films.roles",
            claims: keycloak,
            isUser: "ada_2bfilms@example.org", hasRoles: ["librarian"]),
        Shape(provider: "Auth0", claims: auth0, isUser: nil),
        Shape(
            provider: "Auth0", spelling: .escaped, roles: "https://films.example/roles", claims: auth0,
            isUser: "auth0_7c5f7c8ec7c33c6c004bbafe82", hasRoles: ["editor", "critic"]),
        Shape(
            provider: "Google through Auth0", prefix: "g.", spelling: .escaped,
            claims: #""sub":"google-oauth2|103547991597142817347""#, isUser: "g.google-oauth2_7c103547991597142817347"),
        Shape(
            provider: "Authentik", user: "preferred_username", roles: "groups",
            claims:
                #""sub":"a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998ece7f9a1d9e8f","groups":["authentik Admins","staff"],"preferred_username":"akadmin","uid":"x""#,
            isUser: "akadmin", hasRoles: ["staff"]),
        Shape(
            provider: "Dex", user: "email", prefix: "dex.",
            claims:
                #""sub":"CgNhZGESBWxvY2Fs","at_hash":"x","email":"ada@example.org","email_verified":true,"name":"Ada""#,
            isUser: "dex.ada@example.org"),
        Shape(
            provider: "LDAP through Dex", spelling: .escaped, claims: #""sub":"cn=Zoë Müller,ou=People,dc=example""#,
            isUser: "cn_3dZo_c3_ab_20M_c3_bcller_2cou_3dPeople_2cdc_3dexample"),
        Shape(
            provider: "Entra", user: "email",
            claims:
                #""sub":"AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ","oid":"690222be","email":"ceo@example.org","ver":"2.0""#,
            isUser: nil),
        Shape(
            provider: "a provider that lets people choose an address", user: "email",
            claims: #""sub":"1","email":"ceo@example.org","email_verified":false"#, isUser: nil),
        Shape(provider: "a provider without the claim", user: "preferred_username", claims: #""sub":"1""#, isUser: nil),
        Shape(provider: "a path into a text", user: "sub.name", claims: #""sub":"1""#, isUser: nil),
    ]

    @Test(arguments: shapes)
    func `a token signs in as the user that its issuer's names give, or not at all`(_ shape: Shape) throws {
        let issuer = try Issuer()
        var trusted = TrustedIssuer(
            issuer: Issuer.name, audience: "films", keys: try JSONWebKeySet(parsing: issuer.published))
        trusted.names.user = shape.user
        trusted.names.prefix = shape.prefix
        trusted.names.spelling = shape.spelling
        trusted.names.roles = shape.roles
        let verifier = TokenVerifier(secret: try ServerSecret(), issuers: [trusted])
        let payload = #"{"iss":"\#(Issuer.name)","aud":["account","films"],"exp":1900000000,\#(shape.claims)}"#
        let token = try issuer.token(.rs256, payload: payload)
        let claims = try? verifier.verify(token, at: Timestamp(seconds: 1_800_000_000))
        #expect(claims?.subject.text == shape.isUser)
        #expect(Set(claims?.roles.map(\.text) ?? []) == shape.hasRoles)
        #expect(claims?.isAdmin != true)
    }

    @Test(arguments: [
        "auth0|1", "_", "__", "_7c", "a_b", ".", "..", "room", "Zoë", "日本", " ", "a\u{0}b", "-", "@", "🎬🎬",
    ])
    func `a name becomes a user id and is read again`(_ name: String) throws {
        for prefix in ["", "g."] {
            let user = try #require(UserSpelling.user(of: name, after: prefix))
            #expect(UserSpelling.name(of: user, after: prefix) == name)
            #expect(UserID(user.text) != nil)
        }
    }

    @Test func `two names never become one user, and an id of another form has no name`() {
        var random = SeededRandom(seed: 45)
        var names: [UserID: String] = [:]
        let letters: [Character] = ["_", "a", "7", "c", "|", ".", "r", "o", "m", "é", "x"]
        for _ in 0..<50_000 {
            let name = String(
                (0..<Int.random(in: 1...5, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
            guard let user = UserSpelling.user(of: name) else { continue }
            #expect(names.updateValue(name, forKey: user) ?? name == name)
        }
        #expect(names.count > 10_000)
        for text in ["_7", "_zz", "_61", "a_", "_C3"] {
            #expect(UserID(text).flatMap { UserSpelling.name(of: $0) } == nil, "\(text)")
        }
        #expect(UserSpelling.user(of: "") == nil)
        #expect(UserSpelling.user(of: String(repeating: "ü", count: 22)) == nil, "132 characters")
        #expect(UserSpelling.user(of: String(repeating: "ü", count: 21)) != nil)
    }
}
