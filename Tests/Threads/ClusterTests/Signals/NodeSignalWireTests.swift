import Journal
import Model
import TestSupport
import Testing
import ThreadMessages
@testable import Cluster

/// The binary form of signals.
struct NodeSignalWireTests {
    static let alice = StreamID(stored: 2)

    static func person(_ number: Int64) -> Person? {
        UserID("user-\(number)").map { Person(id: StreamID(stored: number), name: $0) }
    }

    static let users = [2, 700, Int64(1) << 40].compactMap { person($0) }.map { UserSessions($0, Int($0.id.value % 5)) }

    static let all: [NodeSignal] = [
        .presence(NodePresence(boot: 1_700_000_000_000, number: 1, at: Timestamp(milliseconds: -5), .changes(users))),
        .presence(NodePresence(boot: 0, number: .max, at: Timestamp(milliseconds: 0), .changes([]))),
        .presence(NodePresence(boot: 3, number: 2, at: Timestamp(milliseconds: 1), .list(buckets: 17..<1024, users))),
        .presence(NodePresence(boot: 3, number: 2, at: Timestamp(milliseconds: 1), .list(buckets: 0..<0, []))),
        .presence(NodePresence(boot: 3, number: 4, at: Timestamp(milliseconds: 1), .goodbye)),
        .ephemeral([alice, StreamID(chat: 7)], EncodedEvent(.typing, json: Array(#"{"type":"typing"}"#.utf8))),
        .claim(DeviceKey(user: alice, device: "Tablet ÄÖ"), number: 1_700_000_000_000 * 65_536),
        .outdated(DeviceKey(user: alice, device: "phone"), by: 7),
        .question(NodeQuestion(boot: 9, number: 12, nodes: ["b", "c"], users: [alice, StreamID(stored: 99)])),
        .answer(NodeAnswer(to: "a", boot: 9, number: 12, sessions: [])),
        .answer(
            NodeAnswer(
                to: "a", boot: 9, number: 12,
                sessions: [
                    LookingSession(user: alice, device: "t", acked: Position(77), focus: true, chat: ChatID("a:b")),
                    LookingSession(user: alice, device: "u", acked: .zero, focus: nil, chat: nil),
                    LookingSession(user: alice, device: "v", acked: .zero, focus: false, chat: nil),
                ])),
    ]

    @Test(arguments: all) func `each signal is read as it was written`(signal: NodeSignal) throws {
        let (node, read) = try NodeSignal.decode(signal.encoded(by: "node-1"))
        #expect(node == "node-1")
        #expect(read == signal)
    }

    @Test func `the bytes of a claim are these`() {
        let claim = NodeSignal.claim(DeviceKey(user: StreamID(stored: 2), device: "ab"), number: 64)
        #expect(claim.encoded(by: "n") == [1, 5, 1, 0x6E, 4, 2, 0x61, 0x62, 0x80, 1])
    }

    @Test func `a refusal of an older program is a kind that is not known`() {
        #expect(throws: JournalProblem.value(field: "kind")) {
            try NodeSignal.decode([1, 9, 1, 0x6E, 1, 0x61, 2, 0x6B, 0x31, 18])
        }
    }

    @Test(arguments: all) func `every cut of a message is refused, and so is a byte too many`(signal: NodeSignal) {
        let bytes = signal.encoded(by: "node-1")
        for length in 0..<bytes.count {
            #expect(throws: JournalProblem.self) { try NodeSignal.decode(Array(bytes[..<length])) }
        }
        #expect(throws: JournalProblem.self) { try NodeSignal.decode(bytes + [0]) }
    }

    @Test(arguments: all) func `no changed byte ends the program`(signal: NodeSignal) {
        let bytes = signal.encoded(by: "node-1")
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                _ = try? NodeSignal.decode(changed)
            }
        }
    }

    @Test func `bytes of chance are refused or read, and never end the program`() {
        var random = SeededRandom(seed: 15)
        for _ in 0..<20_000 {
            let kind = UInt8.random(in: 0...10, using: &random)
            let rest = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            _ = try? NodeSignal.decode([1, kind, 1, 0x6E] + rest)
        }
    }

    @Test func `another version, another kind, and buckets that there are not are refused`() {
        let bytes = Self.all[2].encoded(by: "n")
        #expect(throws: JournalProblem.version(2)) { try NodeSignal.decode([2] + bytes.dropFirst()) }
        #expect(throws: JournalProblem.value(field: "kind")) { try NodeSignal.decode([1, 99] + bytes.dropFirst(2)) }
        let wide = NodePresence(boot: 1, number: 1, at: Timestamp(milliseconds: 1), .list(buckets: 1..<1025, []))
        #expect(throws: JournalProblem.value(field: "buckets")) {
            try NodeSignal.decode(NodeSignal.presence(wide).encoded(by: "n"))
        }
    }

    @Test func `the subjects are those of the design, and answers go to the node that asked`() {
        #expect(Set(Self.all.map(\.subject)) == ["presence", "signal", "claim", "looking", "looking.a"])
        #expect(NodeSignal.subjects(for: "a") == ["presence", "signal", "claim", "looking", "looking.a"])
    }
}
