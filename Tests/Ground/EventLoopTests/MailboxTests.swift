import EventLoop
import Testing

@Suite struct MailboxTests {
    private struct Letter: Sendable {
        var producer: Int
        var number: Int
    }

    @Test func `four threads post, nothing is lost and each one's order is kept`() throws {
        let each = 20_000
        var next = [0, 0, 0, 0]
        var batches = 0
        var producers: [LoopThread] = []
        try withLoop { loop in
            let mailbox = try Mailbox<Letter>(on: loop) { [unowned loop] letters in
                batches += 1
                #expect(!letters.isEmpty)
                for letter in letters {
                    if letter.number != next[letter.producer] { Issue.record("out of order") }
                    next[letter.producer] = letter.number + 1
                }
                if next.allSatisfy({ $0 == each }) { loop.stop() }
            }
            producers = try (0..<4).map { producer in
                try LoopThread.start(named: "producer \(producer)") { loop in
                    _ = after(1, on: loop) { [unowned loop] in
                        for number in 0..<each { mailbox.post(Letter(producer: producer, number: number)) }
                        loop.stop()
                    }
                }
            }
        }
        for producer in producers { producer.join() }
        #expect(next == [each, each, each, each])
        #expect(batches < 4 * each)
    }

    @Test func `a receiver that owns a timer and a listener may go with its loop`() throws {
        final class Owner {
            var timer: LoopTimer?
            var listener: TCPListener?
        }
        let address = try anyPort()
        var isGone: () -> Bool = { false }
        var mailbox: Mailbox<Int>?
        try withLoop { loop in
            let owner = Owner()
            // The mailbox closes before the objects that were made after it.
            mailbox = try Mailbox<Int>(on: loop) { [owner, unowned loop] _ in
                owner.timer?.start(afterMilliseconds: 1000)
                loop.stop()
            }
            owner.timer = LoopTimer(on: loop) {}
            owner.listener = try TCPListener(on: loop, address: address) { $0.close() }
            isGone = { [weak owner] in owner == nil }
            mailbox?.post(1)
        }
        #expect(isGone())
        #expect(mailbox?.post(2) == false)
    }

    @Test func `everything that is posted before the loop wakes is one batch`() throws {
        var batches: [[Int]] = []
        try withLoop { loop in
            let mailbox = try Mailbox<Int>(on: loop) { [unowned loop] batch in
                batches.append(batch)
                loop.stop()
            }
            for number in 0..<10 { mailbox.post(number) }
            mailbox.post(contentsOf: [10, 11, 12])
            mailbox.post(contentsOf: [])
        }
        #expect(batches == [Array(0...12)])
    }

    @Test func `messages wait for a mailbox that is opened later, and are its first batch`() throws {
        let mailbox = Mailbox<Int>()
        for number in 1...3 { #expect(mailbox.post(number)) }
        var batches: [[Int]] = []
        try withLoop { loop in
            try mailbox.open(
                taking: { [unowned loop] batch in
                    batches.append(batch)
                    batch.removeAll(keepingCapacity: true)
                    if batches.count == 2 { loop.stop() } else { mailbox.post(contentsOf: [4, 5]) }
                }, on: loop)
        }
        #expect(batches == [[1, 2, 3], [4, 5]])
        #expect(!mailbox.post(6))
    }

    @Test func `items that the receiver posts to itself are the next batch`() throws {
        var batches: [[Int]] = []
        try withLoop { loop in
            var mailbox: Mailbox<Int>?
            mailbox = try Mailbox<Int>(on: loop) { [unowned loop] batch in
                batches.append(batch)
                if batches.count == 3 { return loop.stop() }
                mailbox?.post(batches.count)
            }
            mailbox?.post(0)
        }
        #expect(batches == [[0], [1], [2]])
    }

    @Test func `a closed mailbox refuses, also after its loop has ended`() throws {
        var kept: [Mailbox<Int>] = []
        try withLoop { loop in
            let closed = try Mailbox<Int>(on: loop) { _ in Issue.record("closed") }
            #expect(closed.post(1))
            closed.close()
            closed.close()
            #expect(!closed.post(2))
            #expect(!closed.post(contentsOf: [3]))
            let open = try Mailbox<Int>(on: loop) { [unowned loop] _ in loop.stop() }
            open.post(1)
            kept = [closed, open]
        }
        #expect(kept.map { $0.post(9) } == [false, false])
    }
}
