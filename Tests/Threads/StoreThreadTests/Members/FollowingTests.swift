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

/// A writer that follows: writes of its clients that another node answers.
struct FollowingTests {
    private let founder: (folder: TemporaryFolder, directory: DataDirectory)
    private let script = Script()
    private let leading: TestNode
    private let journal = Script()

    init() throws {
        founder = try TestNode.founder()
        leading = try TestNode("a", copying: founder.directory) { [journal] in journal.take($0) }
        leading.mail.writer.post(.lead(journal.next(term: 1)))
    }

    private func following(waitMilliseconds: Int64 = 10_000) throws -> TestNode {
        let node = try TestNode("b", copying: founder.directory, waitMilliseconds: waitMilliseconds) { [script] in
            script.take($0)
        }
        let lead = JournalEntry(author: .init(term: 1, node: "a", schema: 25), content: .lead(program: ""))
        node.mail.writer.post(.apply(lead, at: JournalPlace(sequence: 1, term: 1)))
        return node
    }

    @Test func `a handed write is answered by its entry, exactly after its own events`() throws {
        let node = try following()
        for number in 1...3 { node.write(Line("bob", number, number == 2 ? .versioned : .written)) }
        #expect(eventually { script.handed.count == 3 })
        for command in script.handed { leading.take(command, from: "b", term: 1) }
        #expect(eventually { leading.seen.count == 3 })
        for (entry, place) in journal.entries { node.mail.writer.post(.apply(entry, at: place)) }
        #expect(eventually { node.seen.count == 6 })
        #expect(
            node.seen == [
                .event(Line("bob", 1).event), .answer(1, #"{"n":1}"#, version: nil),
                .event(Line("bob", 2).event), .answer(2, #"{"n":2}"#, version: 2),
                .event(Line("bob", 3).event), .answer(3, #"{"n":3}"#, version: nil),
            ])
        #expect(node.metrics.writesPending.now == 0)
        #expect(node.metrics.peerMemory.waitingBytes == 0)
        leading.stop()
        node.stop()
        #expect(try NodeFolders.differences(leading.directory, node.directory) == [])
    }

    @Test func `an answer that wrote nothing waits until the database has the entry before it`() throws {
        let node = try following()
        node.write(Line("bob", 1, .refused))
        #expect(eventually { script.handed.count == 1 })
        leading.write(Line("alice", 5))
        #expect(eventually { leading.seen.count == 2 })
        leading.take(try #require(script.handed.first), from: "b", term: 1)
        #expect(eventually { journal.answered.count == 1 })
        let (origin, after, outcome) = try #require(journal.answered.first)
        let answer = JournalReply.Outcome(outcome).outcome
        node.mail.writer.post(.unwritten([UnwrittenAnswer(ticket: origin.ticket, after: after, outcome: answer)]))
        #expect(!eventually(within: 100) { !node.seen.isEmpty })
        let (entry, place) = try #require(journal.entries.first)
        #expect(after == place.sequence)
        node.mail.writer.post(.apply(entry, at: place))
        #expect(eventually { node.seen.count == 2 })
        guard case .failure(let refusal) = outcome else { return }
        #expect(node.seen == [.event(Line("alice", 5).event), .refusal(1, refusal)])
        #expect(refusal.found?.data == Line.found, "byte by byte as it was")
        leading.stop()
        node.stop()
    }

    @Test func `a write that nobody answers is refused in time, and its late answer is dropped`() throws {
        let node = try following(waitMilliseconds: 200)
        node.write(Line("bob", 1))
        #expect(eventually { node.seen.count == 1 })
        guard case .refusal(1, let refusal) = try #require(node.seen.first) else {
            Issue.record("\(node.seen)")
            return
        }
        #expect(refusal.code == .unavailable)
        #expect(refusal.message.contains("is not known") && refusal.message.contains("with the same key"))
        #expect(eventually { script.forgotten == script.handed.map(\.ticket) })
        leading.take(try #require(script.handed.first), from: "b", term: 1)
        #expect(eventually { journal.entries.count == 1 })
        let (entry, place) = try #require(journal.entries.first)
        node.mail.writer.post(.apply(entry, at: place))
        #expect(eventually { node.seen.count == 2 })
        #expect(node.seen.last == .event(Line("bob", 1).event))
        #expect(node.metrics.writesPending.now == 0)
        leading.stop()
        node.stop()
    }

    @Test func `a write without its client's text is refused at once`() throws {
        let node = try following()
        guard let user = UserID("tester") else { return }
        node.metrics.writesPending.add(1)
        let address = ConnectionAddress(loop: 0, slot: 1, generation: 1)
        node.mail.writer.post(
            .write(
                WriteOrder(
                    address: address, ticket: .write(nil),
                    request: WriteRequest(actor: .administrator(user), at: TestNode.now, useCase: Line("bob", 4)))))
        #expect(eventually { node.seen.count == 1 })
        #expect(script.handed.isEmpty)
        #expect(node.metrics.writesPending.now == 0)
        leading.stop()
        node.stop()
    }

    @Test func `an entry that does not fit stops the node, with a sentence`() throws {
        let node = try following()
        leading.write(Line("alice", 1))
        leading.write(Line("alice", 2))
        #expect(eventually { leading.seen.count == 4 })
        leading.write(Line("alice", 3))
        #expect(eventually { leading.seen.count == 6 })
        let (entry, place) = try #require(journal.entries.last)
        node.mail.writer.post(.apply(entry, at: place))
        #expect(eventually { script.diverged.count == 1 })
        #expect(script.diverged[0].contains("continues the log at"))
        #expect(node.seen == [])
        leading.stop()
        node.stop()
    }

    @Test func `a database that is damaged stops the node, and its next start fetches another one`() throws {
        let node = try following()
        node.mail.writer.post(.checked(.damaged(table: "changes", "Page 7: btreeInitPage() returns error code 11")))
        #expect(eventually { script.diverged.count == 1 })
        #expect(script.diverged[0].hasPrefix("its file is damaged, in changes: Page 7"))
        leading.write(Line("alice", 1))
        #expect(eventually { leading.seen.count == 2 })
        #expect(node.seen == [])
        leading.stop()
        node.stop()
        #expect(try Founding.standing(of: node.directory) == .diverged(script.diverged[0]))
    }

    @Test func `an entry for other tables stops the node`() throws {
        let node = try following()
        leading.write(Line("alice", 1))
        #expect(eventually { journal.entries.count == 1 })
        let (entry, place) = try #require(journal.entries.last)
        let author = JournalEntry.Author(term: 1, node: "a", schema: 24)
        node.mail.writer.post(.apply(JournalEntry(author: author, content: entry.content), at: place))
        #expect(eventually { script.unfit.count == 1 })
        #expect(script.unfit.first?.contains("run the same program") == true && script.diverged.isEmpty)
        leading.stop()
        node.stop()
    }

    @Test func `a member's folder without an epoch is refused with a sentence, and nothing is renewed`() throws {
        let folder = TemporaryFolder()
        let directory = try DataDirectory(folder.path)
        let problem = #expect(throws: DataDirectory.Problem.self) {
            try Storage.openWriter(directory, isMember: true)
        }
        #expect(problem?.description.contains("watchwise cluster init") == true)
        let node = try following()
        node.stop()
        let writer = try Storage.openWriter(node.directory, isMember: true)
        let epoch = try Storage.openWriter(founder.directory, isMember: true).epoch
        #expect(writer.epoch == epoch && writer.epochRenewal == nil)
        leading.stop()
    }
}

/// Waits until something is so, for a time.
func eventually(within milliseconds: Int, _ isSo: () -> Bool) -> Bool {
    for _ in 0..<milliseconds {
        if isSo() { return true }
        usleep(1000)
    }
    return isSo()
}
