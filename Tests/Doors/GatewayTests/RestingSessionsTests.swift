import EventLoop
import Fanout
import Model
import Testing
import ThreadMessages
@testable import Gateway

/// Sessions that are not read from for a moment.
@Suite struct RestingSessionsTests {
    @Test func `all sessions rest for the same time, and end in the order of their beginnings`() throws {
        let loop = try Loop()
        var ended: [(slot: Slot, at: Int64)] = []
        var began: [Slot: Int64] = [:]
        var resting: RestingSessions?
        var later: LoopTimer?
        func begin(_ slot: Slot) {
            began[slot] = loop.now
            resting?.begin(ConnectionAddress(loop: 0, slot: slot, generation: 1))
        }
        resting = RestingSessions(on: loop) { address in
            ended.append((address.slot, loop.now))
            if ended.count == 3 {
                resting?.close()
                later?.close()
                loop.stop()
            }
        }
        later = LoopTimer(on: loop) { begin(3) }
        begin(1)
        begin(2)
        later?.start(afterMilliseconds: Limits.restMilliseconds / 2)
        loop.run()
        resting = nil
        later = nil
        #expect(ended.map(\.slot) == [1, 2, 3])
        for (slot, at) in ended { #expect(at - (began[slot] ?? .max) >= Limits.restMilliseconds) }
    }
}
