import Authentication
import Model
import Testing
@testable import Configuration

struct IssuerSettingsTests {
    @Test func `a Firebase project stands for its issuer, its audience and Google's keys`() throws {
        let layers = ConfigurationLayers(flags: ["firebase-project": ["film-night"]])
        let issuer = try #require(try layers.configuration().foreignIssuers.first)
        #expect(issuer.trusted.issuer == "https://securetoken.google.com/film-night")
        #expect(issuer.trusted.audience == "film-night")
        #expect(issuer.trusted.rules == .firebase)
        #expect(issuer.trusted.grantableScopes.isEmpty)
        let google = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        #expect(issuer.keys == .url(google))
    }

    @Test func `a file names several, each with its keys and its rights`() throws {
        let file = #"""
            {"issuers": [
              {"issuer": "https://id.example.org", "audience": "film", "keys": "https://id.example.org/k", "admin": true},
              {"issuer": "joe", "audience": "film", "keys": "/etc/joe.json", "scopes": ["admin:read", "metrics"]},
              {"firebase": "night", "keys": "http://127.0.0.1:99/k"}]}
            """#
        let layers = ConfigurationLayers(file: .init(name: "w.json", bytes: Array(file.utf8)))
        let issuers = try layers.configuration().foreignIssuers
        #expect(issuers.map(\.name) == ["https://id.example.org", "joe", "https://securetoken.google.com/night"])
        #expect(issuers.map(\.trusted.grantableScopes) == [Set(Scope.allCases), [.read, .metrics], []])
        #expect(issuers.map(\.trusted.rules) == [.plain, .plain, .firebase])
        #expect(
            issuers.map(\.keys) == [
                .url("https://id.example.org/k"), .file(path: "/etc/joe.json"), .url("http://127.0.0.1:99/k"),
            ])
    }

    @Test func `an issuer says which claims name its users and their roles`() throws {
        let text = "issuer=a audience=b keys=/k user=email prefix=corp. spelling=escaped roles=realm_access.roles"
        let names = try ConfigurationLayers(flags: ["issuers": [text]]).configuration().foreignIssuers.map(
            \.trusted.names)
        #expect(names.map(\.user) == ["email"] && names.map(\.roles) == ["realm_access.roles"])
        #expect(names.first?.user("zoë@example.org")?.text == "corp.zo_c3_ab@example.org")
        let plain = try ConfigurationLayers(flags: ["issuers": ["issuer=a audience=b keys=/k"]]).configuration()
        #expect(plain.foreignIssuers.map(\.trusted.names) == [ClaimNames()])
    }

    @Test(arguments: [
        ("issuers", "https://id.example.org"), ("issuers", "issuer=a audience=b"),
        ("issuers", "issuer=a keys=/k"), ("issuers", "audience=b keys=/k"), ("issuers", "issuer= audience=b keys=/k"),
        ("issuers", "issuer=a audience=b keys=http://id.example.org/k"),
        ("issuers", "issuer=a audience=b keys=http://localhost.example.org/k"),
        ("issuers", "issuer=a audience=b keys=http://127.0.0.1@example.org/k"),
        ("issuers", "issuer=a audience=b keys=ftp://id.example.org/k"),
        ("issuers", "issuer=a audience=b keys=/k admin=perhaps"),
        ("issuers", "issuer=a audience=b keys=/k scopes=all"),
        ("issuers", "issuer=a audience=b keys=/k scopes=admin:read+"),
        ("issuers", "issuer=a audience=b keys=/k color=red"), ("issuers", "issuer=a audience=b keys=/k user="),
        ("issuers", "issuer=a audience=b keys=/k prefix=a|"), ("issuers", "issuer=a audience=b keys=/k spelling=any"),
        ("issuers", "issuer=a issuer=b audience=b keys=/k"), ("issuers", "firebase=Film/Night"),
        ("firebase-project", "https://film"), ("firebase-project", "Film Night"), ("outbound-allow", "10.0.0.1/8"),
        ("outbound-allow", "example.org"),
    ])
    func `an issuer with a wrong setting is refused by its name`(_ key: String, _ text: String) {
        let byFlag = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: [key: [text]]).configuration()
        }
        #expect(byFlag?.place == flag(key))
        #expect(byFlag?.message.hasPrefix("must be") == true)
        let byVariable = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(environment: [variable(key): text]).configuration()
        }
        #expect(byVariable?.place == variable(key))
    }

    @Test func `an issuer is named once`() {
        let twice = ["issuer=a audience=b keys=/k", "issuer=a audience=c keys=/l"]
        #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: ["issuers": twice]).configuration()
        }
        let problem = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: ["issuers": ["firebase=night"], "firebase-project": ["night"]])
                .configuration()
        }
        #expect(problem?.description.contains("https://securetoken.google.com/night") == true)
    }

    @Test(
        arguments: [
            (nil, nil, 3_600_000), ("public, max-age=19008, must-revalidate, no-transform", nil, 19_008_000),
            ("max-age=600", "100", 500_000), ("max-age=600", "700", 60_000), ("max-age=1", nil, 60_000),
            ("max-age=999999999", nil, 86_400_000), ("max-age=99999999999999999999", nil, 3_600_000),
            ("max-age=9223372036854775807", nil, 86_400_000), ("max-age=9223372036854775807", "-1", 86_400_000),
            ("max-age=-9223372036854775808", "1", 60_000), ("Max-Age=\"300\"", nil, 300_000), ("no-store", nil, 60_000),
            ("max-age=600, no-cache", nil, 60_000), ("max-age", nil, 3_600_000), ("max-age=soon", nil, 3_600_000),
        ] as [(String?, String?, Int64)])
    func `keys hold as long as their issuer says, within bounds`(_ control: String?, _ age: String?, _ fresh: Int64) {
        #expect(KeyPace().fresh(cacheControl: control, age: age) == fresh)
    }
}

extension SettingTrial {
    /// The keys that this file is about.
    static let ofIssuers = [
        SettingTrial(
            key: "issuers", file: #"{"issuers": {"issuer": "a", "audience": "x", "keys": "/a"}}"#,
            variable: "issuer=b audience=x keys=/b,firebase=b2",
            flag: ["issuer=c audience=x keys=/c", "firebase=c2 admin=yes"],
            values: ["a", "b https://securetoken.google.com/b2", "c https://securetoken.google.com/c2"]
        ) { $0.issuers.map(\.name).joined(separator: " ") },
        SettingTrial(
            key: "firebase-project", file: #"{"firebase-project": "a"}"#, variable: "b,b2", flag: ["c"],
            values: ["a", "b b2", "c"]
        ) { $0.firebase.map(\.trusted.audience).joined(separator: " ") },
        SettingTrial(
            key: "outbound-allow", file: #"{"outbound-allow": ["10.0.0.0/8", "fd00::/8"]}"#, variable: "127.0.0.1",
            flag: ["192.168.0.0/16"], values: ["10.0.0.0/8 fd00::/8", "127.0.0.1/32", "192.168.0.0/16"]
        ) { $0.outboundAllow.description },
        SettingTrial(
            key: "outbound-authorities", file: #"{"outbound-authorities": "a"}"#, variable: "b", flag: ["c"],
            values: ["a", "b", "c"]
        ) { $0.outboundAuthorities ?? "" },
    ]
}
