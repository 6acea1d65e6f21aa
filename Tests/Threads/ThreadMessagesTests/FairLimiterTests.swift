import Testing
import ThreadMessages

struct FairLimiterTests {
    private let most = 8

    private func address(_ slot: Int) -> ConnectionAddress {
        ConnectionAddress(loop: 0, slot: Int32(slot), generation: 1)
    }

    @Test func `a few are in work at once, and the others as those end`() {
        var limiter = FairLimiter(inWorkMax: most)
        let all = (0..<20).map(address)
        var begun: [ConnectionAddress] = []
        for address in all where limiter.begin(address, in: .connection(address), expected: 100) {
            begun.append(address)
        }
        #expect(begun == Array(all.prefix(most)))
        #expect(limiter.next() == nil)
        var next: [ConnectionAddress] = []
        for _ in 0..<all.count {
            limiter.ended()
            if let address = limiter.next() { next.append(address) }
        }
        #expect(next == Array(all.dropFirst(most)))
        let isNow = limiter.begin(all[0], in: .connection(all[0]), expected: 100)
        #expect(isNow, "nothing is in work any more")
    }

    @Test func `a network whose strangers come by hundreds does not keep others waiting`() {
        var limiter = FairLimiter(inWorkMax: most)
        let crowd = FairLane.connection(address(1000))
        for slot in 0..<300 { _ = limiter.begin(address(slot), in: crowd, expected: 100) }
        let isNow = limiter.begin(address(500), in: .connection(address(500)), expected: 100)
        #expect(!isNow)
        var waited = 0
        while true {
            limiter.ended()
            if limiter.next() == address(500) { break }
            waited += 1
        }
        #expect(waited < 3)
    }

    @Test func `nobody goes before those who wait`() {
        var limiter = FairLimiter(inWorkMax: most)
        for slot in 0...most {
            _ = limiter.begin(address(slot), in: .connection(address(slot)), expected: 100)
        }
        limiter.ended()
        let isNow = limiter.begin(address(50), in: .connection(address(50)), expected: 1)
        #expect(!isNow)
    }
}
