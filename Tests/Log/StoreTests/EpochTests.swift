import Foundation
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

/// The epoch stays the same after every stop and every crash, and changes when positions could have gone back.
struct EpochTests {
    /// A folder in which a server runs, and which is copied.
    private struct Place {
        let folder = TemporaryFolder()
        var database: String { folder.path + "/watchwise.db" }
        var witness: String { folder.path + "/watchwise.head" }

        /// Writes some entries, then ends in one of two ways.
        ///
        /// - Returns: the epoch, and the reason if it is a new one.
        @discardableResult
        func run(writes: Int = 3, isClosed: Bool = true) throws -> (epoch: Epoch, renewal: String?) {
            let store = try TestStore(in: folder)
            try store.write { transaction in for _ in 0..<writes { _ = try transaction.appendSilently() } }
            try store.writer.noteHead()
            if isClosed { try store.writer.close() }
            return (store.writer.epoch, store.writer.epochRenewal)
        }

        func copy(_ from: String, over to: String) throws {
            let target = URL(fileURLWithPath: to)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(contentsOf: URL(fileURLWithPath: from)).write(to: target)
        }

        /// Writes bytes into an existing file, as `cp` does.
        func overwrite(_ path: String, with bytes: Data) throws {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }
    }

    @Test func `an epoch stays over stops and crashes, with and without writes`() throws {
        let place = Place()
        let first = try place.run()
        #expect(first.renewal == nil)
        for isClosed in [false, true, false, false, true] {
            for writes in [0, 5] {
                let next = try place.run(writes: writes, isClosed: isClosed)
                #expect(next.epoch == first.epoch)
                #expect(next.renewal == nil)
            }
        }
    }

    @Test func `an older copy, put over the database or in its place, begins another`() throws {
        for isInPlace in [true, false] {
            let place = Place()
            let first = try place.run()
            let old = try Data(contentsOf: URL(fileURLWithPath: place.database))
            let second = try place.run()
            #expect(second.epoch == first.epoch)
            if isInPlace {
                try place.overwrite(place.database, with: old)
            } else {
                try old.write(to: URL(fileURLWithPath: place.database), options: .atomic)
            }
            let restored = try place.run()
            #expect(restored.epoch != first.epoch)
            #expect(restored.renewal != nil)
            #expect(try place.run().epoch == restored.epoch, "and keeps that")
        }
    }

    @Test func `a folder that was copied elsewhere, and a database without its witness, begin another`() throws {
        let place = Place()
        let first = try place.run()
        let elsewhere = Place()
        try place.copy(place.database, over: elsewhere.database)
        #expect(try elsewhere.run().epoch != first.epoch)
        let whole = Place()
        try place.copy(place.database, over: whole.database)
        try place.copy(place.witness, over: whole.witness)
        #expect(try whole.run().epoch != first.epoch)
    }

    @Test(arguments: [0, 1])
    func `a witness still counts when a power cut tore one of its places`(torn: Int) throws {
        let place = Place()
        let first = try place.run(isClosed: false)
        try place.run()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: place.witness))
        #expect(bytes.count == 512)
        for index in (torn * 256 + 10)..<(torn * 256 + 256) { bytes[index] = 0 }
        try place.overwrite(place.witness, with: bytes)
        let next = try place.run()
        #expect(next.epoch == first.epoch)
        #expect(next.renewal == nil)
    }

    @Test(arguments: [
        "", "e-1 4 7", "e-1 4 7|e-1 4 8", "e-1 4 7|e-1 4", "e-1 4|e-1 4", "e-1 x 7|e-1 x 7", "e-1 4 7|e-1 4 7x",
        "e-1 4 7|e-1 4 7|e-1 4 7",
    ])
    func `half of a record does not count as a record`(text: String) {
        #expect(HeadWitness.Testimony(record: Array(text.utf8)) == nil)
    }

    @Test func `a record is read as it was written`() throws {
        let longest = try #require(Epoch(String(repeating: "e", count: 64)))
        for epoch in [try #require(Epoch("e-1")), longest] {
            let testimony = HeadWitness.Testimony(epoch: epoch, head: Position(Position.bound), file: .max)
            #expect(testimony.record.count == 256)
            #expect(HeadWitness.Testimony(record: testimony.record) == testimony)
        }
    }
}
