import Model
import Testing

@testable import Server

struct WebhookSettingsTests {
    @Test func `webhooks go to public addresses over https unless the settings say otherwise`() throws {
        let standard = try ConfigurationLayers().configuration().webhooks
        #expect(standard == WebhookConfiguration())
        #expect(standard.allow == .none)
        #expect(!standard.mayBePlain)
        let flags: [ConfigurationKey: [String]] = [
            .webhookAllow: ["10.0.0.0/8", "::1"], .webhookPlain: ["true"], .webhookSource: ["https://a.example/film"],
            .webhookSecret: ["/etc/hook"],
        ]
        let byFlag = try ConfigurationLayers(flags: flags).configuration().webhooks
        #expect(byFlag.allow.contains(try #require(IPAddress("10.1.2.3"))))
        #expect(byFlag.allow.contains(try #require(IPAddress("::1"))))
        #expect(byFlag.mayBePlain)
        #expect(byFlag.source == "https://a.example/film")
        #expect(byFlag.secretPath == "/etc/hook")
        let variables = [
            "WATCHWISE_WEBHOOK_ALLOW": "10.0.0.0/8,::1", "WATCHWISE_WEBHOOK_PLAIN": "yes",
            "WATCHWISE_WEBHOOK_SOURCE": "https://a.example/film", "WATCHWISE_WEBHOOK_SECRET": "/etc/hook",
        ]
        #expect(try ConfigurationLayers(environment: variables).configuration().webhooks == byFlag)
        let file = #"""
            {"webhook-allow": ["10.0.0.0/8", "::1"], "webhook-plain": true, "webhook-source": "https://a.example/film",
             "webhook-secret": "/etc/hook"}
            """#
        let layers = ConfigurationLayers(file: .init(name: "w.json", bytes: Array(file.utf8)))
        #expect(try layers.configuration().webhooks == byFlag)
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
