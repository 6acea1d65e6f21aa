import ClientProtocol
import Glibc
import Model
import Store
import StoreTestSupport
import Telemetry
import TestMarks
import TestSupport
import Testing
import ThreadMessages

@testable import StoreThread

/// Three writers with their threads and databases, and a journal under chance: every write is done once, in the order of its
/// client, and every node sees the same.
struct ChanceTests {
    private static let names = ["a", "b", "c"]
    private static let lines = 60

    /// - Returns: the promises that were broken, a sentence each.
    private static func run(seed: UInt64, _ mistake: OrderedJournal.Mistake? = nil) throws -> [String] {
        let founder = try TestNode.founder()
        let journal = OrderedJournal(seed: seed, mistake: mistake)
        let nodes = try names.map { name in
            try TestNode(name, copying: founder.1) { journal.take($0, from: name) }
        }
        for node in nodes { journal.add(node) }
        var random = SeededRandom(seed: seed &* 31)
        for number in 1...lines {
            for node in nodes {
                let kinds: [Line.Kind] = [.written, .written, .written, .versioned, .empty, .refused]
                node.write(Line("u-\(node.name)", number, kinds.randomElement(using: &random) ?? .written))
            }
            for _ in 0..<Int.random(in: 0...12, using: &random) { journal.step() }
            if Int.random(in: 0...3, using: &random) == 0 { usleep(500) }
        }
        let isDone = eventually {
            journal.settle()
            return nodes.allSatisfy { $0.metrics.writesPending.now == 0 }
        }
        var findings = isDone ? [] : ["writes are not answered: \(nodes.map { $0.metrics.writesPending.now })"]
        // Everybody gets the last entries.
        _ = eventually {
            journal.settle()
            let events = nodes.map { node in node.seen.count(where: \.isEvent) }
            return Set(events).count == 1 && nodes.allSatisfy { $0.seen.count - events[0] >= lines }
        }
        for node in nodes { findings += broken(node) }
        let events = nodes.map { node in node.seen.filter(\.isEvent) }
        if Set(events).count > 1 { findings.append("the nodes saw other events: \(events.map(\.count))") }
        for node in nodes { node.stop() }
        for node in nodes[1...] { findings += try NodeFolders.differences(nodes[0].directory, node.directory) }
        return findings
    }

    /// The promises to the clients of a node.
    private static func broken(_ node: TestNode) -> [String] {
        var findings: [String] = []
        var events: Set<String> = []
        var answered: Set<Int> = []
        var newest: [Substring: Int] = [:]
        for seen in node.seen {
            switch seen {
            case .event(let text):
                if !events.insert(text).inserted { findings.append("\(node.name): twice \(text)") }
                let words = text.dropLast(2).split(separator: " ")
                let (user, number) = (words[0], Int(words[1]) ?? 0)
                if number < newest[user] ?? 0 { findings.append("\(node.name): \(text) after \(newest[user] ?? 0)") }
                newest[user] = number
            case .answer(let number, _, _):
                if !answered.insert(number).inserted { findings.append("\(node.name): answered twice: \(number)") }
            case .refusal(let number, let refusal):
                if !answered.insert(number).inserted { findings.append("\(node.name): answered twice: \(number)") }
                if refusal.code != .conflict { findings.append("\(node.name): \(number): \(refusal.message)") }
            }
        }
        if answered.count != lines { findings.append("\(node.name): \(answered.count) answers") }
        return findings + early(node)
    }

    /// Answers that came before the event of their write.
    private static func early(_ node: TestNode) -> [String] {
        var events: Set<String> = []
        var findings: [String] = []
        let all = Set(node.seen.filter(\.isEvent).map { "\($0)" })
        for seen in node.seen {
            if seen.isEvent { events.insert("\(seen)") }
            guard case .answer(let number, _, _) = seen else { continue }
            let event = "\(TestNode.Seen.event(Line("u-\(node.name)", number).event))"
            if all.contains(event), !events.contains(event) { findings.append("\(node.name): early answer \(number)") }
        }
        return findings
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `each write is done once, in its order, on every node, while the lead changes`(seed: UInt64) throws {
        #expect(try Self.run(seed: seed) == [])
    }

    @Test(.planted, arguments: OrderedJournal.Mistake.allCases)
    func `a planted mistake is found`(mistake: OrderedJournal.Mistake) throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            let findings = try Self.run(seed: seed, mistake)
            guard findings.isEmpty else { return print("keeping: \(mistake) is found by seed \(seed): \(findings[0])") }
        }
        Issue.record("\(mistake) was not found")
    }
}

extension TestNode.Seen {
    var isEvent: Bool { if case .event = self { true } else { false } }
}
