import JSON
import Testing
@testable import Configuration

struct ClusterSettingsTests {
    private static func cluster(_ flags: [String: [String]]) throws -> ClusterConfiguration {
        try ConfigurationLayers(flags: flags).configuration().cluster
    }

    @Test func `without settings the server is alone`() throws {
        let standard = try Self.cluster([:])
        #expect(standard == ClusterConfiguration())
        #expect(!standard.isMember && standard.mayLead && standard.application == "watchwise")
        #expect(standard.lagReadyMilliseconds == 5000 && standard.lagCloseMilliseconds == 15_000)
    }

    @Test(arguments: [["nats://a:1,nats://b:2", "tls://c"], ["nats://a:1", "nats://b:2,tls://c"]])
    func `the journal's servers are repeated or separated by commas`(_ texts: [String]) throws {
        let cluster = try Self.cluster(["journal": texts])
        #expect(cluster.journal == ["nats://a:1", "nats://b:2", "tls://c"])
        #expect(cluster.isMember)
    }

    @Test(arguments: [
        ("journal", "10.0.0.1:4222"), ("journal", "http://10.0.0.1:4222"), ("journal", "nats://"),
        ("journal", "nats://a:0"), ("journal", "nats://a:4222/x"), ("journal", "nats://a b"), ("journal", ","),
        ("journal-app", "a.b"), ("journal-app", "a*"), ("journal-app", "ä"),
        ("journal-app", String(repeating: "a", count: 65)), ("journal-monitor", "10.0.0.1:8222"),
        ("journal-monitor", "http://10.0.0.1:8222/varz"), ("node", "rome.1"), ("node", "rome 1"), ("node", "*"),
        ("node", ">"), ("node", String(repeating: "a", count: 256)), ("node-address", "10.0.0.1:8080"),
        ("node-address", "nats://10.0.0.1"), ("node-address", "http://u@10.0.0.1"),
        ("node-address", "http://10.0.0.1/x"), ("lead", "always"), ("lead", "true"), ("lag-ready", "500ms"),
        ("lag-ready", "2h"), ("lag-close", "never"),
    ])
    func `a value of another form is refused by its name`(_ key: String, _ text: String) {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try Self.cluster(["journal": ["nats://a:1"]].merging([key: [text]]) { $1 })
        }
        #expect(problem?.place == flag(key))
        #expect(problem?.message.hasPrefix("must be") == true)
    }

    @Test func `the password of a wrong address is not shown`() {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try Self.cluster(["journal": ["nats://anna:secret@host/x"]])
        }
        #expect(problem?.place == "--journal" && problem?.description.contains("secret") == false)
    }

    @Test(arguments: [
        ("journal-app", "films"), ("journal-credentials", "a.creds"), ("journal-ca", "a.pem"),
        ("journal-monitor", "http://127.0.0.1:8222"), ("node", "a"), ("node-address", "http://127.0.0.1:8080"),
        ("lead", "never"), ("lag-ready", "2s"), ("lag-close", "20s"),
    ])
    func `a setting of a node without a journal is refused`(_ key: String, _ text: String) {
        let problem = #expect(throws: ConfigurationProblem.self) { try Self.cluster([key: [text]]) }
        #expect(problem?.description == "--journal is required with --\(key)")
    }

    @Test func `sessions are ended later than new ones are refused`() {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try Self.cluster(["journal": ["nats://a:1"], "lag-ready": ["15s"]])
        }
        #expect(problem?.place == "--lag-close")
    }

    @Test func `a node without a name has the host's up to its first dot`() throws {
        var cluster = ClusterConfiguration()
        let name = try cluster.nodeName()
        #expect(ClusterConfiguration.isNodeName(name))
        cluster.node = "rome-1"
        #expect(try cluster.nodeName() == "rome-1")
    }
}

extension SettingTrial {
    /// Those of a node among others, tried as all others.
    static let ofCluster = [
        SettingTrial(
            key: "journal", file: #"{"journal": ["nats://a:1", "nats://b:2"]}"#, variable: "nats://c:3,nats://d:4",
            flag: ["tls://e:5"], values: ["nats://a:1 nats://b:2", "nats://c:3 nats://d:4", "tls://e:5"]
        ) { $0.cluster.journal.joined(separator: " ") },
        plain("journal-app", "a", "b", "c") { $0.cluster.application },
        plain("journal-credentials", "/a", "/b", "/c") { $0.cluster.credentials ?? "" },
        plain("journal-ca", "/a", "/b", "/c") { $0.cluster.authorities ?? "" },
        plain("journal-monitor", "http://a:1", "http://b:2", "https://c") { $0.cluster.monitors.joined() },
        plain("node", "a", "b", "c") { $0.cluster.node ?? "" },
        plain("node-address", "http://a", "https://b", "http://[::1]:1") { $0.cluster.address ?? "" },
        SettingTrial(
            key: "lead", file: #"{"lead": "never"}"#, variable: "auto", flag: ["never"],
            values: ["false", "true", "false"]
        ) { "\($0.cluster.mayLead)" },
        SettingTrial(
            key: "lag-ready", file: #"{"lag-ready": 2}"#, variable: "3s", flag: ["4s"],
            values: ["2000", "3000", "4000"]
        ) { "\($0.cluster.lagReadyMilliseconds)" },
        SettingTrial(
            key: "lag-close", file: #"{"lag-close": "20s"}"#, variable: "1m", flag: ["30"],
            values: ["20000", "60000", "30000"]
        ) { "\($0.cluster.lagCloseMilliseconds)" },
    ]
}
