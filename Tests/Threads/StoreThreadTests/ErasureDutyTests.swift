import Foundation
import Model
import Privacy
import Services
import Store
import Synchronization
import Telemetry
import TestSupport
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
        let kept = node.directory.path + "/diverged-2026-01-01T00-00-00.sqlite"
        #expect(FileManager.default.createFile(atPath: kept, contents: Data([1])))
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
        #expect(!FileManager.default.fileExists(atPath: kept), "a database that was put aside may have the person")
        node.stop()
    }

    @Test func `a database that was put aside goes after its time, and not before`() throws {
        let folder = TemporaryFolder()
        let writer = try Storage.openWriter(try DataDirectory(folder.path))
        let (young, old) = ("diverged-young.sqlite", "diverged-old.sqlite-wal")
        for name in [young, old] {
            #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: Data([1])))
        }
        let past = Date(timeIntervalSinceNow: -1000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: "\(folder.path)/\(old)")
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        #expect(try writer.removePutAside(before: now - 2_000_000) == 0)
        #expect(try writer.removePutAside(before: now - 500_000) == 1)
        #expect(folder.files.contains(young) && !folder.files.contains(old))
        #expect(try writer.removePutAside() == 1)
        #expect(try writer.removePutAside() == 0)
        try writer.close()
    }
}
