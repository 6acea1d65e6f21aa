import Fanout
import Model
import TestSupport
import Testing

/// `#expect` accepts no call that changes a value.
private func expect(_ found: Bool, is wanted: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(found == wanted, sourceLocation: sourceLocation)
}

struct DeliveryCursorTests {
    private static let full = Limits.queuedBytesMax

    private static func live(at position: Int64) -> DeliveryCursor {
        var cursor = DeliveryCursor(position: .zero)
        cursor.becomeLive(at: Position(position))
        return cursor
    }

    @Test func `a fresh cursor reads, and takes nothing live`() {
        var cursor = DeliveryCursor(position: Position(5))
        #expect(cursor.mode == .reading)
        expect(cursor.offer(Position(6), queuedBytes: 0), is: false)
        #expect(cursor.position == Position(5))
    }

    @Test func `live takes what is newer, once`() {
        var cursor = Self.live(at: 5)
        expect(cursor.offer(Position(5), queuedBytes: 0), is: false)
        expect(cursor.offer(Position(6), queuedBytes: 0), is: true)
        expect(cursor.offer(Position(6), queuedBytes: 0), is: false)
        #expect(cursor.position == Position(6))
        #expect(cursor.eventCount == 1)
    }

    @Test func `a full socket leaves the cursor at its position and makes it slow`() {
        var cursor = Self.live(at: 5)
        expect(cursor.offer(Position(6), queuedBytes: Self.full - 1), is: true)
        expect(cursor.offer(Position(7), queuedBytes: Self.full), is: false)
        #expect(cursor.mode == .behind)
        expect(cursor.offer(Position(8), queuedBytes: 0), is: false)
        #expect(cursor.position == Position(6))
    }

    @Test func `a cursor that becomes slow after a long silence reads on from just before the event that did not fit`()
    {
        var cursor = Self.live(at: 5)
        expect(cursor.offer(Position(700), queuedBytes: Self.full), is: false)
        #expect(cursor.mode == .behind)
        #expect(cursor.position == Position(699))
        #expect(cursor.eventCount == 0)
    }

    @Test func `an event that the reader already has does not count for a full socket`() {
        var cursor = Self.live(at: 5)
        expect(cursor.offer(Position(5), queuedBytes: Self.full), is: false)
        #expect(cursor.mode == .live)
    }

    @Test func `a run that is all new is taken in one step`() {
        var cursor = Self.live(at: 5)
        expect(cursor.offer(from: Position(6), through: Position(9), count: 3, queuedBytes: 0), is: true)
        #expect(cursor.position == Position(9))
        #expect(cursor.eventCount == 3)
        expect(cursor.offer(from: Position(6), through: Position(9), count: 3, queuedBytes: 0), is: false)
        expect(cursor.offer(Position(9), queuedBytes: 0), is: false)
        #expect(cursor.eventCount == 3)
    }

    @Test(arguments: [6, 7, 8, 9] as [Int64])
    func `inside a run the cursor takes the rest one by one`(position: Int64) {
        var cursor = Self.live(at: position)
        expect(cursor.offer(from: Position(6), through: Position(9), count: 4, queuedBytes: 0), is: false)
        #expect(cursor.position == Position(position))
        for next in Int64(6)...9 { expect(cursor.offer(Position(next), queuedBytes: 0), is: next > position) }
        #expect(cursor.position == Position(9))
        #expect(cursor.eventCount == 9 - position)
    }

    @Test func `a full socket takes no run, and the first event that is offered alone makes the cursor slow`() {
        var cursor = Self.live(at: 5)
        expect(cursor.offer(from: Position(6), through: Position(9), count: 4, queuedBytes: Self.full), is: false)
        #expect(cursor.mode == .live)
        expect(cursor.offer(Position(6), queuedBytes: Self.full), is: false)
        #expect(cursor.mode == .behind)
        expect(cursor.offer(from: Position(7), through: Position(9), count: 3, queuedBytes: 0), is: false)
        #expect(cursor.position == Position(5))
        #expect(cursor.eventCount == 0)
    }

    @Test func `a cursor that reads from the log takes no run`() {
        var cursor = DeliveryCursor(position: Position(5))
        expect(cursor.offer(from: Position(6), through: Position(9), count: 4, queuedBytes: 0), is: false)
        #expect(cursor.mode == .reading)
    }

    @Test func `a drained socket reads on only if its cursor is slow`() {
        var cursor = Self.live(at: 5)
        expect(cursor.drained(), is: false)
        _ = cursor.offer(Position(6), queuedBytes: Self.full)
        expect(cursor.drained(), is: true)
        #expect(cursor.mode == .reading)
        expect(cursor.drained(), is: false)
    }

    @Test func `after a page a full socket waits, an empty one reads on`() {
        var cursor = DeliveryCursor(position: .zero)
        cursor.advance(to: Position(3))
        expect(cursor.wrotePage(queuedBytes: 0), is: true)
        #expect(cursor.mode == .reading)
        expect(cursor.wrotePage(queuedBytes: Self.full), is: false)
        #expect(cursor.mode == .behind)
        #expect(cursor.eventCount == 1)
    }

    @Test func `a cursor never goes back`() {
        var cursor = DeliveryCursor(position: Position(9))
        cursor.advance(to: Position(8))
        #expect(cursor.eventCount == 0)
        cursor.becomeLive(at: Position(7))
        #expect(cursor.position == Position(9))
    }

    @Test(arguments: 1...60)
    func `in a run of random events, every event is written once and in order`(seed: UInt64) {
        var run = DeliveryRun(seed: seed)
        for step in 1...600 {
            run.step()
            guard run.written == Array(run.events.prefix(run.written.count)) else {
                Issue.record("seed \(seed), step \(step): \(run.written.suffix(5))")
                return
            }
        }
        run.settle()
        #expect(run.written == run.events)
        #expect(run.cursor.mode == .live)
        #expect(run.cursor.eventCount == Int64(run.events.count))
    }
}

/// A session with its writer, reader and socket; the seed decides which of them acts next.
///
/// The reader may be ahead of the loop's news, or much later; the loop keeps few recent commits.
private struct DeliveryRun {
    private struct Page {
        let events: [Int64]
        let upTo: Int64
        let hasMore: Bool
    }

    private enum Asking {
        case nothing
        case asked(after: Int64)
        case answered(Page)
    }

    private var random: SeededRandom
    /// The user's events, by position; the log has others between.
    private(set) var events: [Int64] = []
    private var head: Int64 = 0
    /// Commits that the loop has not received yet.
    private var mailbox: [(events: [Int64], head: Int64)] = []
    private var recent = RecentCommits<Int64>(head: .zero, stepsMax: 4)
    private var asking = Asking.asked(after: 0)
    private var queuedBytes = 0

    private(set) var cursor = DeliveryCursor(position: .zero)
    private(set) var written: [Int64] = []

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func step() {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: commit()
        case 1, 2: hear()
        case 3: readerReads()
        case 4: pageArrives()
        default: drain()
        }
    }

    /// No more commits: all running work ends.
    mutating func settle() {
        for _ in 0..<(events.count + 100) {
            hear()
            readerReads()
            pageArrives()
            drain()
        }
        while !mailbox.isEmpty {
            drain()
            hear()
        }
    }

    private mutating func commit() {
        var new: [Int64] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            head += 1
            if Bool.random(using: &random) { new.append(head) }
        }
        events += new
        mailbox.append((new, head))
    }

    private mutating func hear() {
        guard !mailbox.isEmpty else { return }
        let commit = mailbox.removeFirst()
        for event in commit.events { offer(event) }
        recent.append(commit.events, head: Position(commit.head))
    }

    private mutating func offer(_ event: Int64) {
        if cursor.offer(Position(event), queuedBytes: queuedBytes) { write(event) }
    }

    private mutating func write(_ event: Int64) {
        written.append(event)
        queuedBytes += Limits.queuedBytesMax / 3
    }

    private mutating func readerReads() {
        guard case .asked(let position) = asking else { return }
        let found = events.filter { $0 > position }
        let hasMore = found.count > 3
        asking = .answered(
            Page(events: Array(found.prefix(3)), upTo: hasMore ? found[2] : head, hasMore: hasMore)
        )
    }

    private mutating func pageArrives() {
        guard case .answered(let page) = asking else { return }
        asking = .nothing
        for event in page.events where Position(event) > cursor.position {
            write(event)
            cursor.advance(to: Position(event))
        }
        guard !page.hasMore else {
            if cursor.wrotePage(queuedBytes: queuedBytes) { asking = .asked(after: cursor.position.value) }
            return
        }
        guard let missed = recent.after(Position(page.upTo)) else {
            asking = .asked(after: page.upTo)
            return
        }
        cursor.becomeLive(at: Position(page.upTo))
        for event in missed.flatMap(\.steps) where event > page.upTo { offer(event) }
    }

    private mutating func drain() {
        queuedBytes = 0
        if cursor.drained() { asking = .asked(after: cursor.position.value) }
    }
}
