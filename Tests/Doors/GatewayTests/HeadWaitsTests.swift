import ClientProtocol
import EventLoop
import Fanout
import Model
import Testing
import ThreadMessages
@testable import Gateway

/// Sessions that wait for a position that their clients have seen on another node.
@Suite struct HeadWaitsTests {
    private static func address(_ slot: Slot) -> ConnectionAddress {
        ConnectionAddress(loop: 0, slot: slot, generation: 1)
    }

    private static func epoch(_ text: String = "e1") throws -> Epoch { try #require(Epoch(text)) }

    @Test func `each session goes on as soon as its position is there, and no sooner`() throws {
        let loop = try Loop()
        let log = DeliveredLog(head: Position(10))
        let epoch = try Self.epoch()
        var (ended, missed): ([Slot], [Slot]) = ([], [])
        let waits = HeadWaits(
            on: loop, epoch, log, came: { ended.append($0.slot) }, missed: { missed.append($0.slot) })
        func wait(_ slot: Slot, _ seq: Int64) -> Bool {
            waits.wait(Self.address(slot), for: ResumePoint(epoch: epoch, seq: Position(seq)))
        }
        func commit(_ head: Int64) {
            log.append([], head: Position(head), cost: 0)
            waits.reached(Position(head))
        }
        #expect(!wait(0, 10))
        #expect(!waits.wait(Self.address(0), for: nil))
        #expect(try !waits.wait(Self.address(0), for: ResumePoint(epoch: Self.epoch("e2"), seq: Position(99))))
        #expect(wait(1, 12))
        #expect(wait(2, 11))
        #expect(wait(3, 20))
        commit(11)
        #expect(ended == [2])
        commit(11)
        #expect(ended == [2])
        commit(15)
        #expect(ended == [2, 1])
        #expect(!wait(4, 15))
        #expect(wait(4, 16))
        commit(30)
        #expect(ended == [2, 1, 3, 4])
        commit(40)
        #expect(ended.count == 4 && missed.isEmpty)
        waits.close()
        loop.stop()
        loop.run()
    }

    @Test func `those that wait in vain end in their order, each after its time`() throws {
        let loop = try Loop()
        let epoch = try Self.epoch()
        var ended: [(slot: Slot, at: Int64)] = []
        var began: [Slot: Int64] = [:]
        var waits: HeadWaits?
        var later: LoopTimer?
        func wait(_ slot: Slot) {
            began[slot] = loop.now
            #expect(waits?.wait(Self.address(slot), for: ResumePoint(epoch: epoch, seq: Position(99))) == true)
        }
        var came: [Slot] = []
        waits = HeadWaits(
            on: loop, epoch, DeliveredLog(head: .zero), came: { came.append($0.slot) },
            missed: { address in
                ended.append((address.slot, loop.now))
                if ended.count == 2 {
                    waits?.close()
                    later?.close()
                    loop.stop()
                }
            })
        later = LoopTimer(on: loop) { wait(2) }
        wait(1)
        later?.start(afterMilliseconds: 300)
        loop.run()
        waits = nil
        later = nil
        #expect(ended.map(\.slot) == [1, 2] && came.isEmpty)
        for (slot, at) in ended {
            #expect((0...200).contains(at - (began[slot] ?? 0) - MemberLimits.headWaitMilliseconds))
        }
    }
}
