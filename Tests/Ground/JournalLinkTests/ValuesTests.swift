import JSON
import Testing

@testable import JournalLink

/// Versions, addresses, outcomes and settings as values.
struct ValuesTests {
    @Test func `versions are ordered by their numbers, and a release comes after what precedes it`() throws {
        let ordered = ["2.9.10", "2.14.4", "2.14.5-RC.2", "2.14.5", "2.14.10", "2.15.0-beta", "2.15.1", "3.0.0"]
        let versions = try ordered.map { try #require(ServerVersion($0)) }
        #expect(versions.shuffled().sorted() == versions)
        #expect(versions.map(\.description) == ordered)
        #expect(versions.filter { $0 < .oldest }.count == 3)
        for text in ["", "2.15", "2.15.1.1", "2.x.1", "v2.15.1", "2.-1.0", "2..1", "٢.1.1"] {
            #expect(ServerVersion(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("nats://a.example:4333", "a.example", 4333, "nats://a.example:4333"),
        ("tls://a.example", "a.example", 4222, "tls://a.example:4222"),
        ("nats://user:p@ss@10.0.0.1:1", "10.0.0.1", 1, "nats://10.0.0.1:1"),
        ("nats://[::1]:4", "::1", 4, "nats://[::1]:4"), ("nats://[::1]", "::1", 4222, "nats://[::1]:4222"),
    ])
    func `an address is read, and shown without its password`(
        _ text: String, _ host: String, _ port: Int, _ shown: String
    ) throws {
        let address = try JournalAddress(text)
        #expect(address.host == host && Int(address.port) == port && "\(address)" == shown)
    }

    @Test(arguments: [
        "", "a.example:4222", "http://a.example", "nats://", "nats://:4222", "nats://a:0", "nats://a:70000",
        "nats://a:",
        "nats://a b:1", "nats://[::1", "nats://[::1]4", "nats://a/b:1", "nats://user:secret@a:x",
    ])
    func `another text is refused, without its password`(_ text: String) {
        do {
            let address = try JournalAddress(text)
            Issue.record("\(address) was read")
        } catch {
            #expect(error.description.contains("address of the journal"))
            #expect(!error.description.contains("secret"))
        }
    }

    @Test(arguments: ["", "a.b", "a b", "a>", "é", String(repeating: "a", count: 65)])
    func `an application that cannot be part of a subject is refused`(_ name: String) throws {
        let address = try JournalAddress("nats://a")
        #expect(throws: JournalFailure.self) {
            try JournalOptions(addresses: [address], application: name, name: "n")
        }
    }

    /// Of the other servers: how long the leader has not heard it, in milliseconds; nil for one that is said to be offline.
    @Test(
        arguments: [
            ([], 0), ([1000, 90_000], 1000), ([2600, 90_000], 2600), ([nil, nil], nil), ([0, nil], nil),
            ([1200, nil, 40_000, 40_000], 40_000), ([1200, 900, 40_000, nil], 1200), ([3000], 3000), ([300], 300),
        ] as [([Int64?], Int64?)])
    func `the leader of the stream says how long ago it has heard most servers`(
        _ silences: [Int64?], _ age: Int64?
    ) throws {
        let replicas = silences.map { silence -> JSONValue in
            guard let silence else { return ["name": "n", "current": false, "offline": true, "active": .integer(0)] }
            return ["name": "n", "current": .bool(silence > 0), "active": .integer(silence * 1_000_000)]
        }
        let state = try StreamState([
            "state": ["messages": .integer(3), "first_seq": .integer(1), "last_seq": .integer(3)],
            "cluster": ["leader": "a", "replicas": .array(replicas)],
        ])
        #expect(state.majorityAgeMilliseconds == age)
        #expect(
            try StreamState(["state": ["messages": .integer(0), "first_seq": .integer(0), "last_seq": .integer(0)]])
                .majorityAgeMilliseconds == 0)
    }

    @Test func `an application names its stream and subjects, and needs an address`() throws {
        let options = try JournalOptions(addresses: [try JournalAddress("nats://a")], application: "shop-2", name: "n")
        #expect(options.stream == "WW-shop-2" && options.journalSubject == "ww.shop-2.journal")
        #expect(options.subject("commands.n1") == "ww.shop-2.commands.n1")
        #expect(throws: JournalFailure.self) { try JournalOptions(addresses: [], application: "a", name: "n") }
    }

    @Test(arguments: [
        (#"{"stream":"WW-a","seq":7}"#, AppendOutcome.appended(7)),
        (error(10071, "wrong last sequence: 12"), .refused(last: 12)),
        (error(10164, "wrong last sequence"), .refused(last: nil)),
        (error(10054, "message size exceeds maximum allowed"), .tooLarge(bytesMax: 5)),
        (error(10047, "insufficient storage"), .rejected(code: 10047, reason: "insufficient storage")),
        (error(10077, "disk full"), .unknown(reason: "disk full (10077)")),
        (error(10008, "unavailable"), .unknown(reason: "unavailable (10008)")),
        (#"{"stream":"WW-a"}"#, .unknown(reason: "the acknowledgement has no 'seq'")),
        (#"{"seq":-1}"#, .unknown(reason: "the acknowledgement has no 'seq'")),
        ("+OK", .unknown(reason: "the acknowledgement is not JSON")),
    ])
    func `an acknowledgement is an outcome, and in doubt it is unknown`(_ answer: String, _ outcome: AppendOutcome) {
        #expect(AppendOutcome(answer: Array(answer.utf8), bytesMax: 5) == outcome)
    }

    private static func error(_ code: Int, _ text: String) -> String {
        #"{"error":{"code":400,"err_code":\#(code),"description":"\#(text)"},"stream":"WW-a","seq":0}"#
    }

    @Test func `the first line of a server is read, and another one is refused`() throws {
        let line = #"INFO {"server_name":"n1","version":"2.15.1","max_payload":8388608,"jetstream":true}"#
        let server = try JournalServer(line: Array((line + "\r").utf8))
        #expect(
            server.name == "n1" && server.refusal == nil && server.payloadBytesMax == 8 << 20 && !server.requiresTLS)
        let old = try JournalServer(line: Array(line.replacing("2.15.1", with: "2.14.4").utf8))
        #expect(old.refusal == "the NATS server n1 has version 2.14.4; the journal needs at least 2.14.5")
        let plain = try JournalServer(line: Array(line.replacing("true", with: "false").utf8))
        #expect(plain.refusal == "the NATS server n1 has JetStream switched off; the journal needs it")
        for text in ["", "SSH-2.0-OpenSSH_9.2", "INFO {", "INFO {}", #"INFO {"version":"new"}"#] {
            #expect(throws: JournalFailure.self) { try JournalServer(line: Array(text.utf8)) }
        }
    }

    @Test func `each setting that differs is named with both values`() throws {
        let options = try JournalOptions(addresses: [try JournalAddress("nats://a")], application: "a", name: "n")
        let settings = StreamSettings()
        let right = settings.members(options)
        #expect(settings.differences(from: .object(JSONObject(right)), options) == [])
        for (name, value) in right {
            let others = right.filter { $0.name != name } + [(name, JSONValue.string("other"))]
            let found = settings.differences(from: .object(JSONObject(others)), options)
            #expect(found == [StreamDifference(name: name, wanted: value.text, found: #""other""#)])
            let without = settings.differences(from: .object(JSONObject(right.filter { $0.name != name })), options)
            #expect(without == [StreamDifference(name: name, wanted: value.text, found: "null")])
        }
        let more =
            right + [("mirror", JSONValue.object(["name": "b"])), ("allow_rollup_hdrs", true), ("sealed", false)]
        #expect(
            settings.differences(from: .object(JSONObject(more)), options).map(\.name) == [
                "allow_rollup_hdrs", "mirror",
            ])
    }
}
