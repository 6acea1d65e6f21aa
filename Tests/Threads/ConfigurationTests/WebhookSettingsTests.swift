import Model
import Testing
@testable import Configuration

struct WebhookSettingsTests {
    @Test func `webhooks go to public addresses over https unless the settings say otherwise`() throws {
        let standard = try ConfigurationLayers().configuration().webhooks
        #expect(standard == WebhookConfiguration())
        #expect(standard.allow == .none)
        #expect(!standard.mayBePlain)
        #expect(standard.source == "/watchwise")
        #expect(standard.secretPath == nil)
    }

    @Test(arguments: [
        ("webhook-allow", "10.0.0.1/8"), ("webhook-allow", "example.org"), ("webhook-plain", "perhaps"),
        ("webhook-source", "a b"), ("webhook-source", String(repeating: "a", count: 257)), ("webhook-source", "\"a\""),
    ])
    func `a text that is not a setting of webhooks is refused by its name`(_ key: String, _ text: String) {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: [key: [text]]).configuration()
        }
        #expect(problem?.place == flag(key))
        #expect(problem?.message.hasPrefix("must be") == true)
    }
}

extension SettingTrial {
    /// Those of webhooks, tried as all others.
    static let ofWebhooks = [
        SettingTrial(
            key: "webhook-allow", file: #"{"webhook-allow": ["10.0.0.0/8", "::1"]}"#, variable: "192.0.2.0/24",
            flag: ["10.0.0.0/16", "fd00::/8"], values: ["10.0.0.0/8 ::1/128", "192.0.2.0/24", "10.0.0.0/16 fd00::/8"]
        ) { "\($0.webhooks.allow)" },
        SettingTrial(
            key: "webhook-plain", file: #"{"webhook-plain": true}"#, variable: "no", flag: ["true"],
            values: ["true", "false", "true"]
        ) { "\($0.webhooks.mayBePlain)" },
        SettingTrial(
            key: "webhook-source", file: #"{"webhook-source": "/a"}"#, variable: "https://b.example/b", flag: ["urn:c"],
            values: ["/a", "https://b.example/b", "urn:c"]
        ) { $0.webhooks.source },
        SettingTrial(
            key: "webhook-secret", file: #"{"webhook-secret": "/a"}"#, variable: "/b", flag: ["/c"],
            values: ["/a", "/b", "/c"]
        ) { $0.webhooks.secretPath ?? "" },
    ]
}
