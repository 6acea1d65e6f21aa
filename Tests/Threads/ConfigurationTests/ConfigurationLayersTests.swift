import Execution
import Foundation
import JSON
import Model
import Telemetry
import TestSupport
import Testing
@testable import Configuration
@testable import ThreadMessages

struct ConfigurationLayersTests {
    @Test func `without anything the defaults hold`() throws {
        let configuration = try ConfigurationLayers().configuration()
        #expect(configuration.listen == ["127.0.0.1:8080"])
        #expect(configuration.data == "watchwise-data")
        #expect(configuration.loops == nil)
        #expect(configuration.heartbeatMilliseconds == 25_000)
        #expect(!configuration.hasEcho)
        #expect(configuration.logLevel == .info)
        #expect(configuration.collections.collection(ofKind: "person") == "people")
    }

    @Test(arguments: SettingTrial.all)
    func `a flag goes before the environment, that before the file, that before the default`(_ setting: SettingTrial)
        throws
    {
        var layers = ConfigurationLayers(file: .init(name: "w.json", bytes: Array(setting.file.utf8)))
        layers.flags = setting.partners
        #expect(setting.read(try layers.configuration()) == setting.values[0])
        layers.environment = [variable(setting.key): setting.variable]
        #expect(setting.read(try layers.configuration()) == setting.values[1])
        layers.flags[setting.key] = setting.flag
        #expect(setting.read(try layers.configuration()) == setting.values[2])
        layers.file = nil
        layers.environment = [:]
        #expect(setting.read(try layers.configuration()) == setting.values[2])
    }

    @Test func `listeners are given as people write them`() throws {
        let layers = ConfigurationLayers(flags: ["listen": ["localhost:0", ":8080", "[::1]:9"]])
        #expect(try layers.configuration().listen == ["127.0.0.1:0", "0.0.0.0:8080", "[::1]:9"])
        for wrong in ["localhost", ":", "localhost:x", "films.example:80", ":70000", ""] {
            #expect(throws: ConfigurationProblem.self, "\(wrong)") {
                try ConfigurationLayers(flags: ["listen": [wrong]]).configuration()
            }
        }
    }

    @Test func `paths in the file belong to the file's folder, and those of flags and variables do not`() throws {
        let text = """
            {"data": "d", "tls-certificate": "tls/c.pem", "tls-key": "/k.pem", "webhook-secret": "s",
             "triggers": ["film-network", "rows.json"], "outbound-authorities": "ca.pem",
             "issuers": [{"issuer": "i", "audience": "a", "keys": "keys.json"},
                         {"issuer": "j", "audience": "a", "keys": "https://id.example.org/k"}]}
            """
        var layers = ConfigurationLayers(file: .init(name: "/etc/watchwise/w.json", bytes: Array(text.utf8)))
        let configuration = try layers.configuration()
        #expect(configuration.data == "/etc/watchwise/d")
        #expect(configuration.dataAsWritten == "d")
        #expect(configuration.tlsCertificate == "/etc/watchwise/tls/c.pem")
        #expect(configuration.tlsKey == "/k.pem", "a whole path stays what it is")
        #expect(configuration.webhooks.secretPath == "/etc/watchwise/s")
        #expect(configuration.outboundAuthorities == "/etc/watchwise/ca.pem")
        #expect(configuration.triggers == [.ready(.filmNetwork), .file("/etc/watchwise/rows.json")])
        #expect(
            configuration.issuers.map(\.keys) == [
                .file(path: "/etc/watchwise/keys.json"), .url("https://id.example.org/k"),
            ])
        layers.file = .init(name: "conf/w.json", bytes: Array(text.utf8))
        #expect(try layers.configuration().data == "conf/d")
        layers.flags = ["data": ["e"], "webhook-secret": ["t"]]
        #expect(try layers.configuration().data == "e")
        #expect(try layers.configuration().dataAsWritten == nil)
        #expect(try layers.configuration().webhooks.secretPath == "t")
        layers.file = .init(name: "w.json", bytes: Array(text.utf8))
        layers.flags = [:]
        #expect(try layers.configuration().data == "d")
    }

    @Test func `the key of a feed lies beside the configuration file, too`() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: URL(fileURLWithPath: folder.path + "/tmdb.key"))
        let text = #"{"feeds": [{"name": "films", "kind": "tmdb", "keyFile": "tmdb.key"}]}"#
        let layers = ConfigurationLayers(file: .init(name: folder.path + "/w.json", bytes: Array(text.utf8)))
        #expect(try layers.configuration().feeds.first?.key != nil)
    }

    @Test func `an empty variable counts as absent`() throws {
        let configuration = try ConfigurationLayers(environment: ["WATCHWISE_DATA": "", "WATCHWISE_LOOPS": ""])
            .configuration()
        #expect(configuration.data == "watchwise-data")
        #expect(configuration.loops == nil)
    }

    @Test func `a variable that nobody reads is named, with the one that may have been meant`() throws {
        let environment = [
            "WATCHWISE_LISTN": "127.0.0.1:1", "WATCHWISE_SERVICE_HOST": "10.0.0.1", "WATCHWISE_TMDB_APIS": "key",
            "WATCHWISE_TOKEN": "t", "WATCHWISE_LOOPS": "2", "LISTEN": "x",
        ]
        let file = #"{"webhook-source": "/WATCHWISE_TMDB_APIS"}"#
        var layers = ConfigurationLayers(environment: environment)
        let names = try layers.configuration().unknownVariables
        #expect(names.map(\.name) == ["WATCHWISE_LISTN", "WATCHWISE_SERVICE_HOST", "WATCHWISE_TMDB_APIS"])
        #expect(names.map(\.nearest) == ["WATCHWISE_LISTEN", nil, nil])
        layers.file = .init(name: "w.json", bytes: Array(file.utf8))
        layers.environment["WATCHWISE_FEEDS"] = "[]"
        let left = try layers.configuration().unknownVariables.map(\.name)
        #expect(left == ["WATCHWISE_LISTN", "WATCHWISE_SERVICE_HOST"])
    }

    @Test(arguments: [("{\"loops\": 2,\n \"data\" \"d\"}", 22), ("{\"data\": \"ä\" x}", 14), ("{\"loops\": 2", .max)])
    func `an error names the first character that a file may not have`(_ text: String, _ character: Int) throws {
        let layers = ConfigurationLayers(file: .init(name: "w.json", bytes: Array(text.utf8)))
        let problem = try #require(throws: ConfigurationProblem.self) { try layers.configuration() }
        #expect(problem.character == character)
    }

    @Test func `a variable that a flag overrides is not read`() throws {
        let layers = ConfigurationLayers(flags: ["loops": ["3"]], environment: ["WATCHWISE_LOOPS": "many"])
        #expect(try layers.configuration().loops == 3)
    }

    @Test(arguments: [
        #"{"collections": {"sky": "skies", "person": "humans"}}"#: [:],
        "{}": ["WATCHWISE_COLLECTIONS": "sky=skies,person=humans"],
    ])
    func `plurals come from the file or the environment`(_ file: String, _ environment: [String: String]) throws {
        let layers = ConfigurationLayers(
            environment: environment, file: .init(name: "w.json", bytes: Array(file.utf8)))
        let collections = try layers.configuration().collections
        #expect(collections.collection(ofKind: "sky") == "skies")
        #expect(collections.kind(ofCollection: "humans") == "person")
        #expect(collections.collection(ofKind: "series") == "series")
    }

    @Test(arguments: [
        (#"{"listn": []}"#, "'listn' is not a key; did you mean 'listen'?"),
        (#"{"port": 1}"#, "'port' is not a key. The keys are listen, loops, heartbeat"),
        (#"{"loops": 0}"#, "'loops' must be a whole number from 1 to 64, not 0"),
        (#"{"loops": "two"}"#, "'loops' must be a whole number from 1 to 64, not 'two'"),
        (#"{"loops": 1, "loops": 2}"#, "'loops' is given more than once"),
        (#"{"listen": []}"#, "'listen' must be HOST:PORT"),
        (#"{"listen": [8080]}"#, "not 8080"),
        (#"{"listen": "somewhere"}"#, "not 'somewhere'"),
        (#"{"data": ""}"#, "'data' must be the path of a folder"),
        (#"{"heartbeat": 1.5}"#, "'heartbeat' must be a whole number of milliseconds"),
        (#"{"log-level": "loud"}"#, "must be one of debug, info, warning, error, silent, not 'loud'"),
        (#"{"log-retention": 30}"#, "'log-retention' must be a number and its unit, such as 90s, 15m, 24h or 7d"),
        (#"{"debug-echo": "yes"}"#, "'debug-echo' must be true or false, not 'yes'"),
        (#"{"collections": {"Person": "people"}}"#, "'collections' must give topic kinds their plurals"),
        (#"{"collections": {"a": "x", "b": "x"}}"#, "each plural once"),
        (#"{"retention": {"log": "30"}}"#, "'retention', 'log' must be a number and its unit"),
        (#"{"retention": {"audit": "forever"}}"#, "'retention', 'audit' must be a number and its unit"),
        (#"{"retention": {"messages": "1"}}"#, "'retention', 'messages' must be a number and its unit"),
        (
            #"{"retention": {"chats": "1d"}}"#,
            "'chats' must be one of log, edits, reports, audit, notifications, messages"
        ),
        (#"{"limits": {"send": "30"}}"#, "must be a number and a time with a slash between"),
        (#"{"limits": {"sing": "30/1s"}}"#, "is not one of send, first-contact"),
        (#"{"tls-key": 7}"#, "'tls-key' must be the path of a PEM file with the certificate's private key, not 7"),
        ("[]", "must hold one JSON object"),
        ("{", "ends too early"),
        ("{} {}", "is followed by something else"),
    ])
    func `a wrong file is refused with the key, the fault, and the allowed values`(
        _ file: String, _ message: String
    ) {
        let layers = ConfigurationLayers(file: .init(name: "w.json", bytes: Array(file.utf8)))
        let problem = #expect(throws: ConfigurationProblem.self) { try layers.configuration() }
        #expect(problem?.description.hasPrefix("w.json") == true)
        #expect(problem?.description.contains(message) == true, "\(problem?.description ?? "")")
    }

    @Test(arguments: [
        ("loops", "65"), ("loops", "-1"), ("loops", "1e1"), ("heartbeat", "9"), ("keep-alive", "999"),
        ("heartbeat", "25s"),
        ("trusted-proxies", "localhost"), ("trusted-proxies", "10.0.0.0/33"), ("peer-memory", "0"),
        ("write-limit", "0"),
        ("connections-per-user", "0"), ("connections-per-address", "many"), ("proxy-protocol", "v2"),
        ("origins", "example.org"), ("origins", "https://a/path"), ("origins", "https://"), ("origins", "https://*.a"),
        ("listen", "localhost"), ("listen", "127.0.0.1:99999"), ("log-level", "INFO"), ("triggers", "air-qualty"),
        ("log-retention", "30"), ("stop-timeout", "0"), ("stop-timeout", "2h"), ("stop-notice", "5"),
        ("data", ""),
        ("edit-window", "0"), ("edit-retention", "forever"), ("audit-retention", "always"), ("device-retention", "47h"),
        ("metrics", "public"),
        ("metrics-listen", "9100"), ("search", "perhaps"), ("report-retention", "0"),
        ("profile", "a.b"),
    ])
    func `a flag that is wrong is refused by its name, and so is its variable`(
        _ key: String, _ text: String
    ) {
        let byFlag = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: [key: [text]]).configuration()
        }
        #expect(byFlag?.place == flag(key))
        guard !text.isEmpty else { return }
        let byVariable = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(environment: [variable(key): text]).configuration()
        }
        #expect(byVariable?.place == variable(key))
        #expect(byVariable?.message == byFlag?.message)
    }

    @Test(arguments: [
        (#"{"quietHours": {"from": "22:00", "to": "25:00"}}"#, "c.json: 'preferences', 'quietHours.to'"),
        (#"{"levels": ["loud"]}"#, "c.json: 'preferences', 'levels'"),
        (#"{"colour": 1}"#, "c.json: 'preferences', 'colour'"),
        (#"{"default": true}"#, "c.json: 'preferences', 'default'"),
        (#"{"locale": "tr"}"#, "c.json: 'preferences', 'locale'"), ("[]", "c.json: 'preferences'"),
    ])
    func `default preferences are checked as the command's, and the member is named`(object: String, place: String) {
        let file = ConfigurationFile(name: "c.json", bytes: Array("{\"preferences\": \(object)}".utf8))
        let problem = #expect(throws: ConfigurationProblem.self) { try ConfigurationLayers(file: file).configuration() }
        #expect(problem?.place == place)
    }

    @Test func `an impossible rule is refused by its pattern`() {
        let file = ConfigurationFile(name: "c.json", bytes: Array(#"{"rules": {"a/{x}": "owner"}}"#.utf8))
        let problem = #expect(throws: ConfigurationProblem.self) { try ConfigurationLayers(file: file).configuration() }
        #expect(problem?.place == "c.json: 'rules', 'a/{x}'")
        #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: ["rules": ["nonsense"]]).configuration()
        }
    }

    @Test(arguments: [("tls-key", "tls-certificate"), ("tls-certificate", "tls-key")])
    func `certificate and key are needed both`(_ given: String, _ missing: String) {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: [given: ["a.pem"]]).configuration()
        }
        #expect(problem?.description == "--\(missing) is required with --\(given)")
    }

    @Test(arguments: [
        ("lisen", "listen"), ("LOOPS", "loops"), ("loglevel", "log-level"), ("debug_echo", "debug-echo"),
        ("colections", "collections"),
    ])
    func `the name that was meant is found`(_ written: String, _ meant: String) {
        #expect(NearestName.of(written, among: SettingTable.settings.map(\.key)) == meant)
    }

    @Test(arguments: ["port", "x", "", "certificate-of-tls"])
    func `a name like none is left alone`(_ written: String) {
        #expect(NearestName.of(written, among: SettingTable.settings.map(\.key)) == nil)
    }
}

/// One key in all its sources, with the values of the file, the variable and the flag.
struct SettingTrial: Sendable, CustomTestStringConvertible {
    let key: String
    let file: String
    let variable: String
    let flag: [String]
    let values: [String]
    let read: @Sendable (ServerConfiguration) -> String

    var testDescription: String { key }

    /// Flags of the other settings without which this one is refused.
    var partners: [String: [String]] { settingPartners(key).mapValues { [$0] } }

    static let all = simple + ofBackups + ofIssuers + ofWebhooks + ofPush + ofCluster

    private static let simple = [
        SettingTrial(
            key: "listen", file: #"{"listen": ["127.0.0.1:1", "127.0.0.1:2"]}"#, variable: "127.0.0.1:3,[::1]:4",
            flag: ["127.0.0.1:5", "127.0.0.1:6"],
            values: ["127.0.0.1:1 127.0.0.1:2", "127.0.0.1:3 [::1]:4", "127.0.0.1:5 127.0.0.1:6"]
        ) { $0.listen.joined(separator: " ") },
        SettingTrial(
            key: "triggers", file: #"{"triggers": ["air-quality", "a/b.json"]}"#, variable: "task-board,b.json",
            flag: ["ski-resort"],
            values: [
                "[ready(air-quality), file(a/b.json)]", "[ready(task-board), file(b.json)]", "[ready(ski-resort)]",
            ]
        ) { "\(($0.triggers ?? []).map(\.shown))".replacing("\"", with: "") },
        SettingTrial(key: "data", file: #"{"data": "a"}"#, variable: "b", flag: ["c"], values: ["a", "b", "c"]) {
            $0.data
        },
        SettingTrial(key: "loops", file: #"{"loops": 1}"#, variable: "2", flag: ["64"], values: ["1", "2", "64"]) {
            "\($0.loops ?? 0)"
        },
        SettingTrial(
            key: "heartbeat", file: #"{"heartbeat": 10}"#, variable: "20", flag: ["30"], values: ["10", "20", "30"]
        ) { "\($0.heartbeatMilliseconds)" },
        SettingTrial(
            key: "keep-alive", file: #"{"keep-alive": 1000}"#, variable: "2000", flag: ["3000"],
            values: ["1000", "2000", "3000"]
        ) { "\($0.keepAliveMilliseconds)" },
        SettingTrial(
            key: "metrics", file: #"{"metrics": "open"}"#, variable: "token", flag: ["local"],
            values: ["open", "token", "local"]
        ) { "\($0.metricsDoor)" },
        SettingTrial(
            key: "metrics-listen", file: #"{"metrics-listen": ["127.0.0.1:1"]}"#, variable: "127.0.0.1:2",
            flag: ["[::1]:3"], values: ["127.0.0.1:1", "127.0.0.1:2", "[::1]:3"]
        ) { $0.metricsListen.joined(separator: " ") },
        SettingTrial(
            key: "log-level", file: #"{"log-level": "debug"}"#, variable: "error", flag: ["silent"],
            values: ["debug", "error", "silent"]
        ) { "\($0.logLevel)" },
        SettingTrial(
            key: "retention", file: #"{"audit-retention": "2s", "retention": {"log": "1s", "audit": "9s"}}"#,
            variable: #"{"log": "forever", "audit": "3s", "messages": "5s", "notifications": "forever"}"#,
            flag: [#"{"edits": "1s", "reports": "4s", "notifications": "6s"}"#],
            values: [
                "1000 604800000 15552000000 2000 - -", "- 604800000 15552000000 3000 - 5000",
                "2592000000 1000 4000 34560000000 6000 -",
            ]
        ) { configuration in
            RetentionKind.allCases.map { configuration.retention[$0].map { "\($0)" } ?? "-" }.joined(separator: " ")
        },
        SettingTrial(
            key: "log-retention", file: #"{"log-retention": 0}"#, variable: "12h", flag: ["forever"],
            values: ["forever", "43200000", "forever"]
        ) { $0.retention.log.map { String($0) } ?? "forever" },
        SettingTrial(
            key: "edit-window", file: #"{"edit-window": "15m"}"#, variable: "1h", flag: ["2d"],
            values: ["900000", "3600000", "172800000"]
        ) { "\($0.editMilliseconds)" },
        SettingTrial(
            key: "edit-retention", file: #"{"edit-retention": "30d"}"#, variable: "1h", flag: ["90s"],
            values: ["2592000000", "3600000", "90000"]
        ) { "\($0.retention.edits)" },
        SettingTrial(
            key: "audit-retention", file: #"{"audit-retention": "30d"}"#, variable: "1h", flag: ["90s"],
            values: ["2592000000", "3600000", "90000"]
        ) { "\($0.retention.audit)" },
        SettingTrial(
            key: "report-retention", file: #"{"report-retention": "365d"}"#, variable: "1h", flag: ["90s"],
            values: ["31536000000", "3600000", "90000"]
        ) { "\($0.retention.reports)" },
        SettingTrial(
            key: "device-retention", file: #"{"device-retention": "365d"}"#, variable: "48h", flag: ["30d"],
            values: ["31536000000", "172800000", "2592000000"]
        ) { "\($0.retention.registrations)" },
        SettingTrial(
            key: "profile", file: #"{"profile": ["name", "picture"]}"#, variable: "a,b", flag: ["c"],
            values: ["name picture", "a b", "c"]
        ) { $0.profile.joined(separator: " ") },
        SettingTrial(
            key: "search", file: #"{"search": false}"#, variable: "true", flag: ["false"],
            values: ["false", "true", "false"]
        ) { "\($0.searches)" },
        SettingTrial(
            key: "stop-timeout", file: #"{"stop-timeout": 5}"#, variable: "2m", flag: ["90s"],
            values: ["5000", "120000", "90000"]
        ) { "\($0.stopMilliseconds)" },
        SettingTrial(
            key: "compression", file: #"{"compression": "off"}"#, variable: "context", flag: ["shared"],
            values: ["off", "context", "shared"]
        ) { $0.compression.rawValue },
        SettingTrial(
            key: "preferences", file: #"{"preferences": {"timeZone": "Europe/Rome"}}"#,
            variable: #"{"timeZone": "Europe/Berlin"}"#, flag: [#"{"timeZone": "Europe/Istanbul"}"#],
            values: ["Rome", "Berlin", "Istanbul"]
        ) { configuration in
            let shown = configuration.preferences.map { String(describing: $0) } ?? ""
            return ["Rome", "Berlin", "Istanbul"].filter(shown.contains).joined()
        },
        SettingTrial(
            key: "origins", file: #"{"origins": "https://a"}"#, variable: "https://b,https://b2",
            flag: ["https://c", "https://c2"], values: ["a", "b b2", "c c2"]
        ) { configuration in
            ["a", "b", "b2", "c", "c2"].filter { configuration.origins.admit(["https://\($0)"], to: nil) }
                .joined(separator: " ")
        },
        SettingTrial(
            key: "rules", file: #"{"rules": {"a/{x}": "public"}}"#, variable: #"{"b/{x}": "public"}"#,
            flag: [#"{"c/{x}": "public"}"#], values: ["a/{x}", "b/{x}", "c/{x}"]
        ) { $0.rules.json.members.map(\.name).joined() },
        SettingTrial(
            key: "limits", file: #"{"limits": {"send": "30/10s"}}"#, variable: #"{"follow": "100/1h"}"#,
            flag: [#"{"first-contact": "20/1d"}"#], values: ["send", "follow", "first-contact"]
        ) { $0.limits.json.members.map(\.name).joined() },
        SettingTrial(
            key: "trusted-proxies", file: #"{"trusted-proxies": ["10.0.0.0/8", "::1"]}"#, variable: "none",
            flag: ["10.0.0.1", "192.0.2.0/24"], values: ["10.0.0.1 10.9.9.9", "", "10.0.0.1 192.0.2.7"]
        ) { configuration in
            ["10.0.0.1", "10.9.9.9", "192.0.2.7"].filter {
                IPAddress($0).map(configuration.trustedProxies.contains) ?? false
            }
            .joined(separator: " ")
        },
        SettingTrial(
            key: "proxy-protocol", file: #"{"proxy-protocol": true}"#, variable: "no", flag: ["true"],
            values: ["true", "false", "true"]
        ) { "\($0.hasProxyProtocol)" },
        SettingTrial(
            key: "connections-per-address", file: #"{"connections-per-address": 1}"#, variable: "2", flag: ["3"],
            values: ["1", "2", "3"]
        ) { "\($0.connectionsPerAddress)" },
        SettingTrial(
            key: "connections-per-user", file: #"{"connections-per-user": 1}"#, variable: "2", flag: ["3"],
            values: ["1", "2", "3"]
        ) { "\($0.connectionsPerUser)" },
        SettingTrial(
            key: "peer-memory", file: #"{"peer-memory": 1}"#, variable: "2", flag: ["3"],
            values: ["1048576", "2097152", "3145728"]
        ) { "\($0.peerMemoryBytes)" },
        SettingTrial(
            key: "write-limit", file: #"{"write-limit": 1}"#, variable: "2", flag: ["3"],
            values: ["1048576", "2097152", "3145728"]
        ) { "\($0.writeBytesAnHour)" },
        SettingTrial(
            key: "debug-echo", file: #"{"debug-echo": true}"#, variable: "no", flag: ["true"],
            values: ["true", "false", "true"]
        ) { "\($0.hasEcho)" },
        SettingTrial(
            key: "tls-certificate", file: #"{"tls-certificate": "a", "tls-key": "k"}"#, variable: "b", flag: ["c"],
            values: ["a", "b", "c"]
        ) { $0.tlsCertificate ?? "" },
        SettingTrial(
            key: "tls-key", file: #"{"tls-certificate": "c", "tls-key": "x"}"#, variable: "y", flag: ["z"],
            values: ["x", "y", "z"]
        ) { $0.tlsKey ?? "" },
    ]
}

/// The other settings without which this one is refused, each with a value.
func settingPartners(_ key: String) -> [String: String] {
    let groups = [
        ["tls-certificate": "c", "tls-key": "k"],
        [
            "apns-key": "k", "apns-key-id": "2X9R4HXF34", "apns-team": "59GAB85EFG", "apns-topics": "org.example",
            "apns-critical": "false", "apns-url": "https://127.0.0.1:2197",
        ],
        ["fcm-service-account": "f", "fcm-url": "http://127.0.0.1:8090"],
        [
            "journal": "nats://127.0.0.1:4222", "journal-app": "watchwise", "journal-credentials": "c",
            "journal-ca": "c", "journal-monitor": "http://127.0.0.1:8222", "node": "a",
            "node-address": "http://127.0.0.1:8080", "lead": "auto", "lag-ready": "5s", "lag-close": "15s",
        ],
    ]
    return groups.first { $0[key] != nil }?.filter { $0.key != key } ?? [:]
}

/// The option of a setting, as refusals name it.
func flag(_ key: String) -> String? { SettingTable.setting(key)?.flag }

/// The variable of a setting.
func variable(_ key: String) -> String { SettingTable.setting(key)?.variable ?? "" }

extension TriggerSource {
    fileprivate var shown: String {
        switch self {
        case .ready(let application): "ready(\(application.rawValue))"
        case .file(let path): "file(\(path))"
        }
    }
}
