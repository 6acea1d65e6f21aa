import EventLoop
import Journal
import Model
import PersonalData
import Privacy
import Services
import Store
import StoreTestSupport
import TestSupport
import Testing
import ThreadMessages

@testable import StoreThread

/// A member whose database is older than an erasure that its ledger has.
struct OlderCopyTests {
    private let alice: UserID
    private let founder: (folder: TemporaryFolder, directory: DataDirectory)
    /// A node that has written something of alice's, and has erased her.
    private let eraser: TestNode
    private let script = Script()
    /// How many entries had come when the copy was made.
    private let copied: Int
    private let old: TestNode

    init() throws {
        alice = try #require(UserID("alice"))
        founder = try TestNode.founder()
        let eraser = try TestNode("a", copying: founder.directory) { [script] in script.take($0) }
        eraser.mail.writer.post(.lead(script.next(term: 1)))
        eraser.write(Line("alice", 1))
        #expect(eventually { eraser.seen.count == 2 })
        copied = script.entries.count
        old = try TestNode("old", copying: eraser.directory) { _ in }
        old.stop()
        eraser.erase(alice, ErasureChance(String(repeating: "0123456789abcdef", count: 6)))
        #expect(try Self.waitsForErasure(eraser))
        self.eraser = eraser
    }

    /// Waits until the one erasure is done, the ledger has it, and the name is nobody's.
    private static func waitsForErasure(_ node: TestNode) throws -> Bool {
        try eventually { try isErased(node) }
    }

    private static func isErased(_ node: TestNode, name: String = "alice") throws -> Bool {
        let reader = try Storage.openReader(node.directory)
        return try reader.read { transaction in
            let erasures = try transaction.erasures.all()
            guard let user = UserID(name), erasures.count == 1, erasures[0].finished != nil else { return false }
            return try transaction.users.number(of: user) == nil
                && ErasureLedger(of: node.directory).unknown(to: transaction).isEmpty
                && ErasureLedger(of: node.directory).lines().count == 1
        }
    }

    @Test func `a follower writes nothing itself, and an erasure in the journal erases the person here, too`() throws {
        let follower = Script()
        let node = try TestNode("b", copying: old.directory, ledgerOf: eraser.directory) { follower.take($0) }
        #expect(try !Self.isErased(node))
        for (entry, place) in script.entries[copied...] { node.mail.writer.post(.apply(entry, at: place)) }
        #expect(eventually { follower.applied.last == script.entries.last?.1 })
        #expect(follower.tried == 0)
        #expect(try Self.isErased(node))
        // The ledger knows nothing more than the database, so leading writes nothing.
        node.mail.writer.post(.lead(JournalPlace(sequence: (script.entries.last?.1.sequence ?? 0) + 1, term: 2)))
        node.write(Line("bob", 1))
        #expect(eventually { node.seen.contains { $0.answered == 1 } })
        #expect(follower.tried == 1)
        eraser.stop()
        node.stop()
    }

    @Test
    func `a journal that was made again from it has the erasure as soon as the node leads, and so have the others`()
        throws
    {
        let again = Script()
        let node = try TestNode("b", copying: old.directory, ledgerOf: eraser.directory) { again.take($0) }
        let other = Script()
        let follower = try TestNode("c", copying: old.directory) { other.take($0) }
        let place = JournalPlace(sequence: (script.entries[copied - 1].1.sequence) + 1, term: 2)
        while again.next(term: 2) != place {}
        let lead = JournalEntry(author: .init(term: 2, node: "b", schema: 25), content: .lead(program: ""))
        node.mail.writer.post(.lead(place))
        #expect(try Self.waitsForErasure(node))
        follower.mail.writer.post(.apply(lead, at: place))
        for (entry, place) in again.entries { follower.mail.writer.post(.apply(entry, at: place)) }
        #expect(eventually { other.applied.last == again.entries.last?.1 })
        // A member without a ledger has one now.
        #expect(try Self.isErased(follower))
        node.stop()
        follower.stop()
        eraser.stop()
        #expect(try NodeFolders.differences(node.directory, follower.directory) == [])
    }

    @Test func `a ledger that a kill has kept from its line is completed at the next start`() throws {
        let node = try TestNode("b", copying: eraser.directory) { _ in }
        #expect(try Self.waitsForErasure(node))
        node.stop()
        eraser.stop()
    }
}
