import ClientProtocol
import Execution
import Journal
import Model
import Testing
import ThreadMessages
@testable import Cluster

/// The bytes of the messages between nodes.
struct MessageTests {
    static let heartbeat = HeartbeatMessage(
        NodeHeartbeat(
            node: "a", term: 300, leads: true, applied: 70_000, head: 12_345, schema: 25, program: "watchwise/0.1.0",
            fingerprint: "ww:0123456789ab", sessions: 4000, address: "http://10.0.0.1:8080"),
        run: 77, time: Timestamp(milliseconds: 1_795_000_000_000), digest: "d1")

    static let echo = EchoMessage(
        .init(node: "a", run: 77, number: 300),
        heard: [.init(node: "b", run: 1 << 60, number: 1 << 60), .init(node: "c", run: 0, number: 0)])

    static var works: [HandedWork] {
        get throws {
            let chain = try #require(TriggerChain("one,two"))
            let path = try DocumentPath("products/lamp")
            let alice = try #require(UserID("alice"))
            return [
                .command(
                    HandedText(
                        Array(#"{"cmd":"send"}"#.utf8), device: "phone", deviceLanguage: LanguageTag("it-CH"),
                        tokenID: "t1", tokenIssued: Timestamp(milliseconds: 5), chain: chain, isPaced: false)),
                .command(HandedText([], device: nil, deviceLanguage: nil)),
                .request(
                    HandedRequest(
                        method: "PUT", target: "/v1/documents/a/b?x=1",
                        fields: [
                            .init(name: "Authorization", value: "Bearer x"), .init(name: "If-Match", value: "\"3\""),
                        ],
                        body: Array("{}".utf8))),
                .registration(alice, deviceLanguage: nil),
                .deviceUse("phone", of: StreamID(stored: 12), language: LanguageTag("de")),
                .watchedStream(.document(path)),
                .watchedStream(.collection("products")),
            ]
        }
    }

    static var actors: [Actor] {
        get throws {
            let alice = try #require(UserID("alice"))
            let role = try #require(RoleName("editor"))
            return [.user(StreamID(stored: 9), alice, roles: [role]), .administrator(alice), .server]
        }
    }

    static var commands: [HandedCommand] {
        get throws {
            let actors = try actors
            return try works.enumerated().map { index, work in
                HandedCommand(
                    ticket: UInt64(100 + index * index), actor: actors[index % 3],
                    at: Timestamp(milliseconds: Int64(index) - 1), work: work)
            }
        }
    }

    static var message: CommandsMessage {
        get throws {
            CommandsMessage(
                node: "b", run: 5, term: 9, base: 90, after: 99,
                commands: try commands.map { .init(ticket: $0.ticket, bytes: $0.bytes) })
        }
    }

    static var answers: AnswersMessage {
        var conflict = Refusal(.conflict, "another version", field: "version", retryAfterMilliseconds: 7)
        conflict.found = .init(version: 3, data: Array("{}".utf8))
        var none = Refusal(.notFound, "nothing is there")
        none.found = .init(version: 0, data: nil)
        return AnswersMessage(
            run: 5, term: 9,
            answers: [
                UnwrittenAnswer(ticket: 100, after: 70, outcome: .failure(conflict)),
                UnwrittenAnswer(ticket: 101, after: 0, outcome: .failure(none)),
                UnwrittenAnswer(ticket: 102, after: 71, outcome: .success(EncodedAnswer([0x7B, 0x7D], .version(8)))),
                UnwrittenAnswer(ticket: 103, after: 71, outcome: .success(EncodedAnswer([0x7B, 0x7D]))),
            ])
    }

    static let verified = VerifiedMessage(
        node: "b",
        TableDigests(
            number: 9, entry: 70_000, milliseconds: 12,
            tables: [.init(name: "chats", rows: 3, sums: [1, .max]), .init(name: "meta", rows: 0, sums: [0, 0])]))

    @Test func `digests of tables come as they were sent, and are sent again until the next ones`() throws {
        var here = Verifications(of: "b")
        let before = here.takeDue(at: 5)
        here.note(Self.verified.digests)
        let sent = [5, 2004, 2005].map { here.takeDue(at: $0) }
        #expect(before == nil && sent == [Self.verified.bytes, nil, Self.verified.bytes])
        #expect(try VerifiedMessage(Self.verified.bytes) == Self.verified)
        var there = Verifications(of: "a")
        there.note(try VerifiedMessage(Self.verified.bytes))
        #expect(there["b"] == Self.verified.digests && there["a"] == nil)
        let answer = there.takeDue(at: 5)
        #expect(answer == nil)
    }

    static let program = ProgramMessage(
        node: "b", run: 77, newestSchema: 26,
        installed: .init(program: "watchwise/0.2.0", schema: 27, path: "/usr/local/bin/watchwise"))

    @Test func `programs and orders of an upgrade come as they were sent`() throws {
        #expect(try ProgramMessage(Self.program.bytes) == Self.program)
        let unknown = ProgramMessage(node: "b", run: 1, newestSchema: 26, installed: nil)
        #expect(try ProgramMessage(unknown.bytes) == unknown)
        #expect(try UpgradeMessage(UpgradeMessage(schema: 300).bytes).schema == 300)
    }

    @Test func `a node is older unless its present run says another program, or its tables are new`() throws {
        var (roll, table) = (NodeRoll(), ProgramTable())
        for (node, run, schema) in [("a", 1, 25), ("b", 2, 25), ("c", 3, 26), ("d", 4, 25)] as [(String, UInt64, Int)] {
            let heartbeat = NodeHeartbeat(
                node: node, term: 1, leads: false, applied: 1, head: 1, schema: schema, program: "p", fingerprint: "f",
                sessions: 0, address: "")
            roll.note(
                HeartbeatMessage(heartbeat, run: run, time: Timestamp(milliseconds: 0)),
                own: Timestamp(milliseconds: 0), at: node == "d" ? 0 : 100)
        }
        table.note(ProgramMessage(node: "a", run: 1, newestSchema: 26, installed: nil))
        table.note(ProgramMessage(node: "b", run: 9, newestSchema: 26, installed: nil))
        let count = table.count(26, in: roll, except: "x") { $0.at == 100 }
        #expect(count == ProgramTable.Count(ready: ["a", "c"], older: ["b"]))
        #expect(table.count(26, in: roll, except: "b") { _ in true }.older == ["d"])
    }

    @Test func `a heartbeat comes as it was sent`() throws {
        #expect(try HeartbeatMessage(Self.heartbeat.bytes) == Self.heartbeat)
        #expect(try EchoMessage(Self.echo.bytes) == Self.echo)
    }

    @Test func `commands of every kind come as they were handed on`() throws {
        let read = try CommandsMessage(try Self.message.bytes)
        #expect(try read == Self.message)
        #expect(try read.commands.map { try HandedCommand($0) } == Self.commands)
    }

    @Test func `answers come with their refusals, documents found and versions`() throws {
        let read = try AnswersMessage(Self.answers.bytes)
        #expect(read.run == 5 && read.term == 9)
        #expect(read.answers.map(\.ticket) == Self.answers.answers.map(\.ticket))
        #expect(read.answers.map(\.after) == Self.answers.answers.map(\.after))
        for (one, other) in zip(read.answers, Self.answers.answers) {
            switch (one.outcome, other.outcome) {
            case (.success(let found), .success(let sent)):
                #expect(found.body == sent.body && found.fact == sent.fact)
            case (.failure(let found), .failure(let sent)): #expect(found == sent)
            default: Issue.record("an answer became a refusal, or a refusal an answer")
            }
        }
    }

    @Test(arguments: ["heartbeat", "echo", "commands", "answers", "verified", "program", "upgrade"])
    func `every cut, every longer message and every other version is refused`(_ kind: String) throws {
        let bytes = try Self.bytes(kind)
        for count in bytes.indices { #expect(throws: JournalProblem.self) { try read(kind, Array(bytes[..<count])) } }
        #expect(throws: JournalProblem.self) { try read(kind, bytes + [0]) }
        #expect(throws: JournalProblem.version(2)) { try read(kind, [2] + bytes.dropFirst()) }
    }

    @Test(arguments: ["heartbeat", "echo", "commands", "answers", "verified", "program", "upgrade"])
    func `a flipped bit is refused or read as another value, and never a crash`(_ kind: String) throws {
        let bytes = try Self.bytes(kind)
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                _ = try? read(kind, changed)
            }
        }
    }

    @Test func `a command that is cut, or longer than its fields, is refused`() throws {
        for command in try Self.commands {
            let bytes = command.bytes
            for count in bytes.indices {
                #expect(throws: JournalProblem.self) {
                    try HandedCommand(.init(ticket: 1, bytes: Array(bytes[..<count])))
                }
            }
            #expect(throws: JournalProblem.self) { try HandedCommand(.init(ticket: 1, bytes: bytes + [0])) }
        }
    }

    @Test func `tickets that do not grow are refused`() throws {
        let message = CommandsMessage(
            node: "b", run: 1, term: 1, base: 1, after: 4,
            commands: [.init(ticket: 5, bytes: []), .init(ticket: 5, bytes: [])])
        #expect(throws: JournalProblem.value(field: "ticket")) { try CommandsMessage(message.bytes) }
    }

    private static func bytes(_ kind: String) throws -> [UInt8] {
        switch kind {
        case "heartbeat": heartbeat.bytes
        case "echo": echo.bytes
        case "commands": try message.bytes
        case "program": program.bytes
        case "upgrade": UpgradeMessage(schema: 26).bytes
        case "verified": verified.bytes
        default: answers.bytes
        }
    }

    private func read(_ kind: String, _ bytes: [UInt8]) throws {
        switch kind {
        case "heartbeat": _ = try HeartbeatMessage(bytes)
        case "echo": _ = try EchoMessage(bytes)
        case "verified": _ = try VerifiedMessage(bytes)
        case "program": _ = try ProgramMessage(bytes)
        case "upgrade": _ = try UpgradeMessage(bytes)
        case "commands": _ = try CommandsMessage(bytes).commands.map { try HandedCommand($0) }
        default: _ = try AnswersMessage(bytes)
        }
    }
}
