import EventLoop
import Testing

@Suite struct FirstInFirstOutTests {
    @Test func `what comes first is taken first, and what is put back is first again`() {
        var queue = FirstInFirstOut<Int>()
        #expect(queue.takeFirst() == nil)
        var (next, expected) = (0, 0)
        for step in 0..<2000 {
            for _ in 0..<(step % 7) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(step % 5) where !queue.isEmpty {
                #expect(queue.first == expected)
                #expect(queue.takeFirst() == expected)
                expected += 1
            }
            if step % 11 == 0, expected > 0 {
                expected -= 1
                queue.putBack(expected)
            }
            #expect(queue.count == next - expected)
        }
        while let element = queue.takeFirst() {
            #expect(element == expected)
            expected += 1
        }
        #expect(expected == next)
    }

    @Test func `what was taken is let go of`() {
        final class Thing {}
        var queue = FirstInFirstOut<Thing>()
        var things = (0..<500).map { _ in Thing() }
        for thing in things { queue.append(thing) }
        weak let last = things.last
        things = []
        while queue.takeFirst() != nil {}
        #expect(last == nil)
    }
}
