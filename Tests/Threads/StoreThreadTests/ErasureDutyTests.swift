import Glibc
import Model
import Privacy
import Services
import Store
import Synchronization
import Telemetry
import Testing

@testable import StoreThread

/// An erasure waits for the index of messages, which has words of removed texts in its pages until it merges them.
struct ErasureDutyTests {
    private let node: TestNode

    init() throws {
        let node = try TestNode("a", searches: true)
        node.metrics.searchLag.set(1)
        node.write(Line("alice", 1))
        #expect(eventually { node.seen.count == 2 })
        let alice = try #require(UserID("alice"))
        node.erase(alice, ErasureChance(String(repeating: "0123456789abcdef", count: 6)))
        self.node = node
    }

    private func erasure() throws -> ErasureEntry? {
        try Storage.openReader(node.directory).read { try $0.erasures.all().first }
    }

    private func comes(to phase: ErasurePhase) throws -> Bool {
        try eventually { try erasure()?.phase == phase.rawValue }
    }

    private var awaitsMerge: Bool { node.metrics.awaitsSearchMerge.load(ordering: .relaxed) }

    private static func pause(milliseconds: Int64) { usleep(UInt32(milliseconds * 1000)) }

    @Test func `earlier texts wait until the index has followed, and the end until it has merged`() throws {
        #expect(try comes(to: .past))
        // Longer than it waits where the index has nothing to do.
        Self.pause(milliseconds: 2 * SearchLimits.pauseMilliseconds + 1500)
        #expect(try erasure()?.phase == ErasurePhase.past.rawValue)
        #expect(!awaitsMerge)
        node.metrics.searchLag.set(0)
        #expect(try comes(to: .files))
        #expect(eventually { awaitsMerge })
        Self.pause(milliseconds: 2 * SearchLimits.pauseMilliseconds + 1500)
        #expect(try erasure()?.finished == nil)
        node.metrics.awaitsSearchMerge.store(false, ordering: .relaxed)
        #expect(try eventually { try erasure()?.finished != nil })
        node.stop()
    }
}
