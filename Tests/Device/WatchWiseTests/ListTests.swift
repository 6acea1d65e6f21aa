import Foundation
import JSON
import TestSupport
import Testing

@testable import Session
@testable import WatchWise

/// Lists that are patched: whatever happens, each is what a list would be that reads everything again, and its steps lead there.
@Suite(.timeLimit(.minutes(20))) @WatchWiseActor
struct ListTests {
    let folder = TemporaryFolder()

    @Test(arguments: Seeds.first(20, of: 300))
    func `a patched list is what a list is that reads all again`(seed: UInt64) throws {
        try Self.run(seed, [try Self.open(.memory)])
    }

    @Test(arguments: Seeds.first(5, of: 60))
    func `so is a list in another process with the same store`(seed: UInt64) throws {
        let store = StoreLocation.file(folder.path + "/\(seed).sqlite")
        try Self.run(2000 + seed, [try Self.open(store), try Self.open(store)])
    }

    @Test(arguments: Seeds.first(10, of: 100))
    func `the items of a snapshot are a list in pieces, and a copy stays as it is`(seed: UInt64) {
        var random = JitterSource(seed: seed)
        var list = Array(0..<Int.random(in: 0...2000, using: &random))
        var items = Snapshot<Int>.Items(list)
        let (old, before) = (items, list)
        for step in 0..<3000 {
            let isFull = list.count > Int.random(in: 0...3000, using: &random)
            let place = Int.random(in: 0...list.count, using: &random)
            if isFull, place < list.count {
                #expect(items.remove(at: place) == list.remove(at: place))
            } else if step % 3 == 0, place < list.count {
                items.replace(-step, at: place)
                list[place] = -step
            } else {
                items.insert(step, at: place)
                list.insert(step, at: place)
            }
        }
        #expect(Array(items) == list)
        #expect(items == Snapshot<Int>.Items(list) && items.hashValue == Snapshot<Int>.Items(list).hashValue)
        #expect(items.indices.allSatisfy { items[$0] == list[$0] })
        #expect(Array(old) == before)
    }

    private static func run(_ seed: UInt64, _ processes: [WatchWise]) throws {
        let world = ListWorld(seed: seed, processes)
        for step in 1...80 {
            try world.step()
            // Changes that come together are shown together.
            if (UInt64(step) &* 7 &+ seed) % 3 == 0 { try world.check("seed \(seed), step \(step)") }
        }
        try world.check("seed \(seed), the end")
        for ww in processes { ww.close() }
    }

    /// A library that does not connect.
    static func open(_ store: StoreLocation) throws -> WatchWise {
        try WatchWise(
            DeviceParts(
                user: "alice", location: store, token: { _ in nil }, conflicts: nil,
                transport: { _ in throw WatchWiseError.closed }))
    }
}
