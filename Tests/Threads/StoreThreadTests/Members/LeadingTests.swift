import ClientProtocol
import EventLoop
import Execution
import Glibc
import Journal
import Model
import Quotas
import Store
import StoreTestSupport
import Telemetry
import TestSupport
import Testing
import ThreadMessages

@testable import StoreThread

/// A writer that leads, and that loses the lead at each point of a commit.
struct LeadingTests {
    private let founder: (folder: TemporaryFolder, directory: DataDirectory)
    private let script = Script()
    private let node: TestNode

    init() throws {
        founder = try TestNode.founder()
        node = try TestNode("a", copying: founder.directory) { [script] in script.take($0) }
    }

    private func lead() throws {
        let place = script.next(term: 1)
        node.mail.writer.post(.lead(place))
        #expect(eventually { script.applied.contains(place) })
    }

    /// Another node that follows the entries of the journal.
    private func follower(_ name: String) throws -> (TestNode, Script) {
        let script = Script()
        return (try TestNode(name, copying: founder.directory) { [script] in script.take($0) }, script)
    }

    @Test func `a commit is one entry, and the database of the node that applies it is equal`() throws {
        try lead()
        node.write(Line("alice", 1))
        node.write(Line("alice", 2, .versioned))
        #expect(eventually { node.seen.count == 4 })
        #expect(eventually { script.applied.last == script.entries.last?.1 })
        let (other, others) = try follower("b")
        let lead = JournalEntry(author: .init(term: 1, node: "a", schema: 25), content: .lead(program: ""))
        other.mail.writer.post(.apply(lead, at: JournalPlace(sequence: 1, term: 1)))
        for (entry, place) in script.entries { other.mail.writer.post(.apply(entry, at: place)) }
        #expect(eventually { others.applied.last == script.entries.last?.1 })
        #expect(eventually { other.seen == [.event(Line("alice", 1).event), .event(Line("alice", 2).event)] })
        #expect(node.seen.filter { if case .event = $0 { true } else { false } } == other.seen)
        node.stop()
        other.stop()
        #expect(try NodeFolders.differences(node.directory, other.directory) == [])
    }

    @Test func `nothing is written before the node leads, and writes wait in their order`() throws {
        for number in 1...5 { node.write(Line("alice", number)) }
        #expect(eventually { script.handed.count == 5 })
        #expect(script.handed.compactMap { Line($0.work)?.number } == [1, 2, 3, 4, 5])
        #expect(node.seen == [])
        try lead()
        #expect(eventually { node.seen.count == 10 })
        #expect(node.seen.compactMap(\.answered) == [1, 2, 3, 4, 5])
        #expect(node.metrics.writesPending.now == 0)
        #expect(node.metrics.peerMemory.waitingBytes == 0)
        node.stop()
    }

    @Test func `a batch that is fenced is handed on in its order, before later writes`() throws {
        try lead()
        script.set(.fence)
        for number in 1...3 { node.write(Line("alice", number)) }
        #expect(eventually { script.handed.count == 3 })
        for number in 4...6 { node.write(Line("alice", number)) }
        #expect(eventually { script.handed.count == 6 })
        #expect(script.handed.compactMap { Line($0.work)?.number } == [1, 2, 3, 4, 5, 6])
        #expect(script.handed.map(\.ticket) == script.handed.map(\.ticket).sorted())
        #expect(node.seen == [])
        #expect(node.metrics.writesPending.now == 6)
        node.stop()
        #expect(node.metrics.writesPending.now == 0)
    }

    @Test func `an entry without an answer that is in the journal answers its clients once`() throws {
        try lead()
        script.set(.storeSilently)
        node.write(Line("alice", 1))
        #expect(eventually { !script.entries.isEmpty })
        node.write(Line("alice", 2))
        #expect(eventually { node.metrics.writesPending.now == 2 })
        #expect(script.handed.isEmpty, "a later write waits for the batch before it")
        let (entry, place) = try #require(script.entries.first)
        node.mail.writer.post(.follow)
        node.mail.writer.post(.apply(entry, at: place))
        #expect(eventually { script.handed.count == 1 })
        #expect(script.handed.compactMap { Line($0.work)?.number } == [2])
        // The loop hears of it on its own thread.
        #expect(eventually { node.seen.count == 2 })
        #expect(node.seen == [.event(Line("alice", 1).event), .answer(1, #"{"n":1}"#, version: nil)])
        #expect(node.metrics.writesPending.now == 1)
        node.stop()
    }

    @Test func `an entry without an answer that is not in the journal is handed on`() throws {
        try lead()
        script.set(.lose)
        node.write(Line("alice", 1, .versioned))
        #expect(eventually { script.tried == 1 })
        node.write(Line("alice", 2))
        let place = script.next(term: 2)
        let lead = JournalEntry(author: .init(term: 2, node: "b", schema: 25), content: .lead(program: ""))
        #expect(eventually { node.metrics.writesPending.now == 2 })
        node.mail.writer.post(.apply(lead, at: place))
        #expect(eventually { script.handed.count == 2 })
        #expect(script.handed.compactMap { Line($0.work)?.number } == [1, 2])
        #expect(node.seen == [])
        node.stop()
    }

    @Test func `a node that leads again does what it could not, in its order`() throws {
        try lead()
        script.set(.lose)
        node.write(Line("alice", 1))
        #expect(eventually { script.tried == 1 })
        node.write(Line("alice", 2))
        script.set(.store)
        node.mail.writer.post(.lead(script.next(term: 3)))
        #expect(eventually { node.seen.count == 4 })
        #expect(node.seen.compactMap(\.answered) == [1, 2])
        #expect(script.entries.allSatisfy { $0.0.author.term == 3 })
        node.stop()
    }

    @Test func `an answer that changes nothing is an entry when this node has not led for a while`() throws {
        let script = Script()
        let node = try TestNode("a", copying: founder.directory, ledMilliseconds: 300) { script.take($0) }
        node.mail.writer.post(.lead(script.next(term: 1)))
        node.write(Line("alice", 1, .empty))
        #expect(eventually { node.seen.count == 1 })
        #expect(script.entries.count == 1, "it leads, and has not appended anything yet")
        node.write(Line("alice", 2))
        #expect(eventually { script.entries.count == 2 && node.seen.count == 3 })
        usleep(400_000)
        let handed = HandedCommand(ticket: 7, actor: .server, at: TestNode.now, work: Line("bob", 3, .refused).source)
        node.take(handed, from: "b", term: 1)
        #expect(eventually { script.entries.count == 3 })
        #expect(script.answered.isEmpty)
        let entry = try #require(script.entries.last).0
        guard case .commit(let commit) = entry.content else { return }
        #expect(commit.replies.map(\.ticket) == [7] && commit.steps.isEmpty && commit.statements.runs.isEmpty)
        // Another node reads on over it.
        let (other, others) = try follower("b")
        let lead = JournalEntry(author: .init(term: 1, node: "a", schema: 25), content: .lead(program: ""))
        other.mail.writer.post(.apply(lead, at: JournalPlace(sequence: 1, term: 1)))
        for (entry, place) in script.entries { other.mail.writer.post(.apply(entry, at: place)) }
        #expect(eventually { others.applied.last == script.entries.last?.1 })
        #expect(others.diverged.isEmpty)
        node.stop()
        other.stop()
        #expect(try NodeFolders.differences(node.directory, other.directory) == [])
    }

    @Test(arguments: [Script.Mode.fence, .lose])
    func `a node that leads no more and does not know it answers nothing from its own database`(
        _ mode: Script.Mode
    ) throws {
        let script = Script()
        let node = try TestNode("a", copying: founder.directory, ledMilliseconds: 300) { script.take($0) }
        node.mail.writer.post(.lead(script.next(term: 1)))
        node.write(Line("alice", 1))
        #expect(eventually { node.seen.count == 2 })
        script.set(mode)
        usleep(400_000)
        node.write(Line("alice", 2, .empty))
        node.write(Line("alice", 3, .refused))
        let lead = JournalEntry(author: .init(term: 2, node: "b", schema: 25), content: .lead(program: ""))
        #expect(eventually { script.tried >= 2 })
        node.mail.writer.post(.apply(lead, at: script.next(term: 2)))
        #expect(eventually { script.handed.count == 2 })
        #expect(script.handed.compactMap { Line($0.work)?.number } == [2, 3])
        #expect(node.seen.count == 2, "they wait for the node that leads")
        node.stop()
    }

    @Test func `answers to handed writes go with the entry, and those that wrote nothing go apart`() throws {
        try lead()
        let commands = [Line("bob", 7), Line("bob", 8, .empty), Line("bob", 9, .refused)].enumerated().map {
            HandedCommand(
                ticket: UInt64(100 + $0.offset), actor: .server, at: TestNode.now, work: $0.element.source)
        }
        node.take(commands[0], from: "b", term: 1)
        #expect(eventually { script.entries.count == 1 })
        guard case .commit(let commit) = try #require(script.entries.first).0.content else { return }
        #expect(
            commit.replies == [
                JournalReply(node: "b", ticket: 100, stepCount: 1, outcome: .answer(Array(#"{"n":7}"#.utf8)))
            ])
        for command in commands[1...] { node.take(command, from: "b", term: 1) }
        #expect(eventually { script.answered.count == 2 })
        #expect(script.answered.map(\.0.ticket) == [101, 102])
        #expect(script.answered.allSatisfy { $0.after == script.entries[0].1.sequence })
        // An answer that wrote nothing stands in the next entry, too: its message may be lost together with this node.
        node.write(Line("alice", 1))
        #expect(eventually { script.entries.count == 2 })
        guard case .commit(let next) = try #require(script.entries.last).0.content else { return }
        #expect(next.replies.map(\.ticket) == [101, 102] && next.replies.allSatisfy { $0.stepCount == 0 })
        node.take(
            HandedCommand(ticket: 103, actor: .server, at: TestNode.now, work: Line("bob", 10).source), from: "b",
            term: 0)
        #expect(eventually { node.metrics.writesPending.now == 0 })
        #expect(script.entries.count == 2, "a write of an earlier leadership is void")
        node.stop()
    }

    @Test func `a copy of a write that was refused for good gets the refusal, from the next leading node as well`()
        throws
    {
        try lead()
        var line = Line("bob", 9, .refused)
        line.key = WriteKey("k")
        let handed = { (ticket: UInt64) in
            HandedCommand(
                ticket: ticket, actor: .user(StreamID(stored: 7), try #require(UserID("bob")), roles: []),
                at: TestNode.now,
                work: line.source)
        }
        node.take(try handed(100), from: "b", term: 1)
        #expect(eventually { script.entries.count == 1 })
        guard case .commit(let commit) = try #require(script.entries.first).0.content else { return }
        #expect(commit.replies.map(\.ticket) == [100] && commit.statements.runs.count == 1)
        node.take(try handed(7), from: "c", term: 1)
        #expect(eventually { script.answered.count == 1 })
        let (other, others) = try follower("b")
        let lead = JournalEntry(author: .init(term: 1, node: "a", schema: 25), content: .lead(program: ""))
        other.mail.writer.post(.apply(lead, at: JournalPlace(sequence: 1, term: 1)))
        for (entry, place) in script.entries { other.mail.writer.post(.apply(entry, at: place)) }
        var place = others.next(term: 2)
        while place.sequence <= (script.entries.last?.1.sequence ?? 0) { place = others.next() }
        other.mail.writer.post(.lead(place))
        other.take(try handed(8), from: "c", term: 2)
        // Its first answer is an entry, since it has not led for a moment.
        #expect(eventually { others.entries.count == 1 })
        guard case .commit(let next) = try #require(others.entries.first).0.content else { return }
        #expect(next.replies.map(\.ticket) == [8] && next.statements.runs.isEmpty)
        for outcome in script.answered.map(\.2) + next.replies.map(\.outcome.outcome) {
            guard case .failure(let refusal) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(refusal.code == .conflict)
        }
        node.stop()
        other.stop()
    }
}

extension TestNode.Seen {
    /// The number of the write that was answered; nil for events and refusals.
    var answered: Int? {
        if case .answer(let number, _, _) = self { number } else { nil }
    }
}
