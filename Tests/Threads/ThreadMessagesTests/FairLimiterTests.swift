import Model
import Testing
@testable import Gateway
@testable import ThreadMessages

@Suite struct WatchReadsTests {
    private func address(_ slot: Int) -> ConnectionAddress {
        ConnectionAddress(loop: 0, slot: Int32(slot), generation: 1)
    }

    @Test func `a few are read at once, and the others as those end`() {
        var reads = WatchReads()
        let all = (0..<20).map(address)
        var begun: [ConnectionAddress] = []
        for address in all where reads.begin(address, in: .connection(address), expected: 100) { begun.append(address) }
        #expect(begun == Array(all.prefix(DocumentLimits.watchReadsMax)))
        #expect(reads.next() == nil)
        var next: [ConnectionAddress] = []
        for _ in 0..<all.count {
            reads.ended()
            if let address = reads.next() { next.append(address) }
        }
        #expect(next == Array(all.dropFirst(DocumentLimits.watchReadsMax)))
        let isNow = reads.begin(all[0], in: .connection(all[0]), expected: 100)
        #expect(isNow, "nothing is in work any more")
    }

    @Test func `a network whose strangers come by hundreds does not keep others waiting`() {
        var reads = WatchReads()
        let crowd = FairLane.connection(address(1000))
        for slot in 0..<300 { _ = reads.begin(address(slot), in: crowd, expected: 100) }
        let isNow = reads.begin(address(500), in: .connection(address(500)), expected: 100)
        #expect(!isNow)
        var waited = 0
        while true {
            reads.ended()
            if reads.next() == address(500) { break }
            waited += 1
        }
        #expect(waited < 3)
    }

    @Test func `nobody goes before those who wait`() {
        var reads = WatchReads()
        for slot in 0...DocumentLimits.watchReadsMax {
            _ = reads.begin(address(slot), in: .connection(address(slot)), expected: 100)
        }
        reads.ended()
        let isNow = reads.begin(address(50), in: .connection(address(50)), expected: 1)
        #expect(!isNow)
    }
}
