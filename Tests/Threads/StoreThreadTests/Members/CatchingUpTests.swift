import EventLoop
import Journal
import Store
import StoreTestSupport
import Telemetry
import TestSupport
import Testing
import ThreadMessages

@testable import StoreThread

/// A node that was away: entries that have come together share a transaction, and so an fsync.
struct CatchingUpTests {
    @Test func `entries of one command each are applied together, and each is published`() throws {
        let (folder, founder) = try TestNode.founder()
        let journal = Script()
        let leading = try TestNode("a", copying: founder) { [journal] in journal.take($0) }
        leading.mail.writer.post(.lead(journal.next(term: 1)))
        // Each in a commit of its own.
        let count = 2000
        for number in 1...count {
            leading.write(Line("alice", number))
            if number.isMultiple(of: 8) { _ = eventually { leading.metrics.writesPending.now == 0 } }
        }
        #expect(eventually { leading.metrics.writesPending.now == 0 })
        let script = Script()
        let node = try TestNode("b", copying: founder) { [script] in script.take($0) }
        let lead = JournalEntry(author: .init(term: 1, node: "a", schema: 25), content: .lead(program: ""))
        node.mail.writer.post(.apply(lead, at: JournalPlace(sequence: 1, term: 1)))
        let entries = journal.entries
        let began = ContinuousClock.now
        node.mail.writer.post(contentsOf: entries.map { .apply($0.0, at: $0.1) })
        #expect(eventually { node.seen.count == count })
        let took = began.duration(to: .now)
        print("keeping: \(entries.count) entries of \(count) commands are applied in \(took)")
        // The loops hear of a commit before the node's own thread does.
        #expect(eventually { script.applied.last == entries.last?.1 })
        #expect(node.metrics.commits.now == entries.count)
        #expect(script.applied.count < entries.count / 4, "they share transactions")
        leading.stop()
        node.stop()
        #expect(try NodeFolders.differences(leading.directory, node.directory) == [])
        _ = folder
    }
}
