import JSON
import Model
import Testing
@testable import Configuration

struct PushSettingsTests {
    /// All that APNs needs.
    private static let apns = [
        "apns-key": ["/k.p8"], "apns-key-id": ["2X9R4HXF34"], "apns-team": ["59GAB85EFG"],
        "apns-topics": ["org.example.films"],
    ]

    @Test func `without settings nothing is pushed anywhere`() throws {
        let standard = try ConfigurationLayers().configuration().push
        #expect(standard == PushConfiguration())
        #expect(standard.contact == nil && standard.apns == nil && standard.fcm == nil)
        #expect(standard.allow == .none)
        #expect(standard.messages && standard.badge == .both && standard.rate == 500)
    }

    @Test func `a platform is complete or absent`() throws {
        var flags = Self.apns
        flags["fcm-service-account"] = ["/f.json"]
        flags["fcm-url"] = ["http://127.0.0.1:8090"]
        let push = try ConfigurationLayers(flags: flags).configuration().push
        #expect(push.apns?.keyPath == "/k.p8" && push.apns?.keyID == "2X9R4HXF34" && push.apns?.team == "59GAB85EFG")
        #expect(push.apns?.topics == ["org.example.films"] && push.apns?.allowsCritical == false)
        #expect(push.fcm == FCMConfiguration(serviceAccountPath: "/f.json", url: "http://127.0.0.1:8090"))
    }

    @Test(arguments: ["apns-key", "apns-key-id", "apns-team", "apns-topics"])
    func `a setting of APNs without another one is refused, and the missing one is named`(_ missing: String) {
        var flags = Self.apns
        flags[missing] = nil
        let problem = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: flags).configuration()
        }
        let given = missing == "apns-key" ? "--apns-key-id" : "--apns-key"
        #expect(problem?.description == "\(flag(missing) ?? "") is required with \(given)")
    }

    @Test(arguments: [
        ("apns-critical", "true", "apns-key"), ("apns-url", "https://127.0.0.1:2197", "apns-key"),
        ("fcm-url", "https://127.0.0.1:2197", "fcm-service-account"),
    ])
    func `a detail of a platform without the platform is refused`(_ key: String, _ text: String, _ missing: String) {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: [key: [text]]).configuration()
        }
        #expect(problem?.description == "--\(missing) is required with --\(key)")
    }

    @Test(arguments: [
        ("push-contact", "admin@example.org"), ("push-contact", "mailto:admin"),
        ("push-contact", "mailto:@example.org"),
        ("push-contact", "mailto:a@"), ("push-contact", "mailto:a@b@c"), ("push-contact", "mailto:a b@example.org"),
        ("push-contact", "http://example.org/"), ("push-contact", "https://"), ("push-contact", "tel:+390612345"),
        ("push-contact", "https://example.org/" + String(repeating: "a", count: 240)),
        ("apns-key-id", "2X9R4HXF3"), ("apns-key-id", "2x9r4hxf34"), ("apns-team", "59GAB85EFGH"),
        ("apns-topics", "org.example films"), ("apns-topics", "org/films"), ("apns-url", "https://apple.example/3"),
        ("apns-url", "http://apple.example"), ("fcm-url", "ftp://127.0.0.1"), ("fcm-url", "127.0.0.1:8090"),
        ("push-hold", "-1"), ("push-hold", "60001"), ("push-hold", "4s"), ("push-badge", "none"),
        ("push-messages", "x"),
        ("push-open", "app.example.org"), ("push-open", "https://app.example.org/#inbox"), ("push-rate", "0"),
        ("push-rate", "100001"), ("push-allow", "192.168.0.1/16"),
    ])
    func `a value of another form is refused by its name`(_ key: String, _ text: String) {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: [key: [text]]).configuration()
        }
        #expect(problem?.place == flag(key))
        #expect(problem?.message.hasPrefix("must be") == true)
    }

    @Test(arguments: ["mailto:admin@example.org", "https://example.org", "https://example.org/contact?a=b"])
    func `a contact is an e-mail address or a page`(_ text: String) throws {
        #expect(try ConfigurationLayers(flags: ["push-contact": [text]]).configuration().push.contact == text)
    }

    @Test func `messages can be left out`() throws {
        #expect(try !ConfigurationLayers(flags: ["push-messages": ["no"]]).configuration().push.messages)
        let file = ConfigurationFile(name: "w.json", bytes: Array(#"{"push-messages": false}"#.utf8))
        #expect(try !ConfigurationLayers(file: file).configuration().push.messages)
    }

    @Test func `the more urgent a push, the shorter it waits`() throws {
        let push = try ConfigurationLayers(flags: ["push-hold": ["3000"]]).configuration().push
        #expect(InterruptionLevel.allCases.map(push.holdMilliseconds(of:)) == [3000, 3000, 1500, 0])
    }

    @Test func `the key of Web Push is in the data folder`() throws {
        #expect(try ConfigurationLayers(flags: ["data": ["/d"]]).configuration().vapidKeyPath == "/d/vapid-key")
        #expect(try ConfigurationLayers(flags: ["data": ["/d/"]]).configuration().vapidKeyPath == "/d/vapid-key")
    }
}

extension SettingTrial {
    /// Those of pushes, tried as all others.
    static let ofPush =
        [
            plain("push-contact", "mailto:a@example.org", "mailto:b@example.org", "https://c.example") {
                $0.push.contact ?? ""
            },
            plain("apns-key", "/a", "/b", "/c") { $0.push.apns?.keyPath ?? "" },
            plain("apns-key-id", "AAAAAAAAAA", "BBBBBBBBBB", "0123456789") { $0.push.apns?.keyID ?? "" },
            plain("apns-team", "AAAAAAAAAA", "BBBBBBBBBB", "0123456789") { $0.push.apns?.team ?? "" },
            plain("apns-url", "https://a.example", "https://b.example:2197", "http://[::1]:1") {
                $0.push.apns?.url ?? ""
            },
            plain("fcm-service-account", "/a", "/b", "/c") { $0.push.fcm?.serviceAccountPath ?? "" },
            plain("fcm-url", "https://a.example", "http://localhost:1", "http://127.0.0.1") { $0.push.fcm?.url ?? "" },
            plain("push-badge", "chats", "notifications", "both") { $0.push.badge.rawValue },
            plain("push-open", "https://a.example", "http://b.example/x", "https://c.example/?d=e") {
                $0.push.open?.text ?? ""
            },
        ] + [
            SettingTrial(
                key: "apns-topics", file: #"{"apns-topics": ["org.a", "org.a2"]}"#, variable: "org.b,org.b2",
                flag: ["org.c"], values: ["org.a org.a2", "org.b org.b2", "org.c"]
            ) { $0.push.apns?.topics.joined(separator: " ") ?? "" },
            SettingTrial(
                key: "apns-critical", file: #"{"apns-critical": true}"#, variable: "no", flag: ["true"],
                values: ["true", "false", "true"]
            ) { "\($0.push.apns?.allowsCritical ?? false)" },
            SettingTrial(
                key: "push-hold", file: #"{"push-hold": 0}"#, variable: "1", flag: ["60000"],
                values: ["0", "1", "60000"]
            ) { "\($0.push.holdMilliseconds)" },
            SettingTrial(
                key: "push-messages", file: #"{"push-messages": false}"#, variable: "yes", flag: ["off"],
                values: ["false", "true", "false"]
            ) { "\($0.push.messages)" },
            SettingTrial(
                key: "push-rate", file: #"{"push-rate": 1}"#, variable: "2", flag: ["100000"],
                values: ["1", "2", "100000"]
            ) { "\($0.push.rate)" },
            SettingTrial(
                key: "push-allow", file: #"{"push-allow": ["10.0.0.0/8", "::1"]}"#, variable: "192.0.2.0/24",
                flag: ["fd00::/8"], values: ["10.0.0.0/8 ::1/128", "192.0.2.0/24", "fd00::/8"]
            ) { "\($0.push.allow)" },
        ]

    /// A text in the file, in the variable and in the flag.
    static func plain(
        _ key: String, _ file: String, _ variable: String, _ flag: String,
        _ read: @escaping @Sendable (ServerConfiguration) -> String
    ) -> SettingTrial {
        SettingTrial(
            key: key, file: JSONValue.object([key: .string(file)]).text, variable: variable, flag: [flag],
            values: [file, variable, flag], read: read)
    }
}
