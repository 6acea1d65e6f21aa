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
        (ConfigurationKey.webhookAllow, "10.0.0.1/8"), (.webhookAllow, "example.org"), (.webhookPlain, "perhaps"),
        (.webhookSource, "a b"), (.webhookSource, String(repeating: "a", count: 257)), (.webhookSource, "\"a\""),
    ])
    func `what is no setting of webhooks is refused by its name`(_ key: ConfigurationKey, _ text: String) {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: [key: [text]]).configuration()
        }
        #expect(problem?.place == key.flag)
        #expect(problem?.message.hasPrefix("must be") == true)
    }
}

extension Setting {
    /// Those of webhooks, tried as all others.
    static let ofWebhooks = [
        Setting(
            key: .webhookAllow, file: #"{"webhook-allow": ["10.0.0.0/8", "::1"]}"#, variable: "192.0.2.0/24",
            flag: ["10.0.0.0/16", "fd00::/8"], values: ["10.0.0.0/8 ::1/128", "192.0.2.0/24", "10.0.0.0/16 fd00::/8"]
        ) { "\($0.webhooks.allow)" },
        Setting(
            key: .webhookPlain, file: #"{"webhook-plain": true}"#, variable: "no", flag: ["true"],
            values: ["true", "false", "true"]
        ) { "\($0.webhooks.mayBePlain)" },
        Setting(
            key: .webhookSource, file: #"{"webhook-source": "/a"}"#, variable: "https://b.example/b", flag: ["urn:c"],
            values: ["/a", "https://b.example/b", "urn:c"]
        ) { $0.webhooks.source },
        Setting(
            key: .webhookSecret, file: #"{"webhook-secret": "/a"}"#, variable: "/b", flag: ["/c"],
            values: ["/a", "/b", "/c"]
        ) { $0.webhooks.secretPath ?? "" },
    ]
}
