import Testing

@testable import JournalLink

/// The read of the journal as a value.
struct JournalReadingTests {
    /// A read that has asked for its first entries, from a journal of `last` entries.
    private static func begun(from sequence: UInt64 = 1, last: UInt64 = 9) -> JournalReading {
        var reading = JournalReading(from: sequence)
        #expect(reading.connected(now: 0) == [.ask(round: 1)])
        #expect(reading.answered((1, last), round: 1, now: 0) == [.create(round: 1, start: sequence)])
        #expect(reading.created(true, round: 1, now: 0) == [.pull(round: 1, number: 1)])
        return reading
    }

    @Test func `entries in order are delivered, and others are not`() {
        var reading = Self.begun()
        #expect(reading.received(1, round: 1, now: 0) == (true, []))
        #expect(reading.received(1, round: 1, now: 0) == (false, []), "a second time")
        #expect(reading.received(2, round: 0, now: 0) == (false, []), "of an earlier round")
        #expect(reading.received(2, round: 1, now: 0) == (true, []))
        #expect(reading.wanted == 3)
    }

    @Test func `an entry that is missing is read again, and four times mean a hole`() {
        var reading = Self.begun()
        _ = reading.received(1, round: 1, now: 0)
        for round in 1...3 {
            #expect(reading.received(3, round: round, now: 0) == (false, [.ask(round: round + 1)]))
            #expect(reading.answered((1, 9), round: round + 1, now: 0) == [.create(round: round + 1, start: 2)])
            #expect(reading.created(true, round: round + 1, now: 0) == [.pull(round: round + 1, number: round + 1)])
        }
        #expect(reading.received(3, round: 4, now: 0) == (false, [.end(.hole(next: 3))]))
        #expect(reading.gaps == 4)
        #expect(reading.connected(now: 0) == [])
    }

    @Test func `the next request waits for the owner`() {
        var reading = Self.begun(last: 2000)
        for sequence in 1...UInt64(JournalLimits.pullEntries) {
            #expect(reading.received(sequence, round: 1, now: 0) == (true, []))
        }
        #expect(reading.consumed(through: 499, now: 0) == [])
        #expect(reading.received(501, round: 1, now: 0) == (false, []), "nothing was asked for")
        #expect(reading.consumed(through: 500, now: 0) == [.pull(round: 1, number: 2)])
        #expect(reading.consumed(through: 500, now: 0) == [])
    }

    @Test(arguments: [(404, "No Messages"), (408, "Request Timeout"), (409, "Message Size Exceeds MaxBytes")])
    func `a request that the server ends is renewed`(_ code: Int, _ text: String) {
        var reading = Self.begun()
        #expect(reading.status(code, text, pull: 7, round: 1, now: 0) == [], "another request")
        #expect(reading.status(code, text, pull: 1, round: 1, now: 0) == [.pull(round: 1, number: 2)])
        _ = reading.received(1, round: 1, now: 0)
        #expect(reading.status(code, text, pull: 2, round: 1, now: 0) == [], "the owner has not consumed")
        #expect(reading.consumed(through: 1, now: 0) == [.pull(round: 1, number: 3)])
    }

    @Test(arguments: [(409, "Consumer Deleted"), (409, "Leadership Change"), (503, ""), (400, "Bad Request")])
    func `a consumer that is lost is made again after a pause`(_ code: Int, _ text: String) {
        var reading = Self.begun()
        #expect(reading.status(code, text, pull: 1, round: 1, now: 0) == [])
        #expect(reading.tick(now: 249) == [])
        #expect(reading.tick(now: 250) == [.ask(round: 2)])
        #expect(reading.answered(nil, round: 2, now: 250) == [])
        #expect(reading.tick(now: 749) == [], "the second pause is longer")
        #expect(reading.tick(now: 750) == [.ask(round: 3)])
    }

    @Test func `silence begins the read again, and a heartbeat does not`() {
        var reading = Self.begun()
        #expect(reading.status(100, "Idle Heartbeat", pull: 1, round: 1, now: 2000) == [])
        #expect(reading.tick(now: 4999) == [])
        #expect(reading.tick(now: 5000) == [.ask(round: 2)])
    }

    /// Its consumer may be on a server whose copy of the stream stands still, which sends heartbeats all the same.
    @Test func `a read that gets no entry begins again, if there is an entry`() {
        var reading = Self.begun()
        #expect(reading.status(100, "Idle Heartbeat", pull: 1, round: 1, now: 3999) == [])
        #expect(reading.expected(now: 3999) == [])
        #expect(reading.expected(now: 4000) == [.ask(round: 2)])
        #expect(reading.answered((1, 9), round: 2, now: 4000) == [.create(round: 2, start: 1)])
        #expect(reading.created(true, round: 2, now: 4000) == [.pull(round: 2, number: 2)])
        #expect(reading.expected(now: 11_999) == [], "a large entry may need longer")
        #expect(reading.expected(now: 12_000) == [.ask(round: 3)])
        _ = reading.answered((1, 9), round: 3, now: 12_000)
        _ = reading.created(true, round: 3, now: 12_000)
        #expect(reading.received(1, round: 3, now: 20_000) == (true, []))
        #expect(reading.expected(now: 23_999) == [])
        #expect(reading.expected(now: 24_000) == [.ask(round: 4)])
    }

    @Test func `a read that waits for its owner does not begin again`() {
        var reading = Self.begun(last: 2000)
        for sequence in 1...UInt64(JournalLimits.pullEntries) { _ = reading.received(sequence, round: 1, now: 0) }
        #expect(reading.expected(now: 60_000) == [])
    }

    @Test func `a journal that ends too early is asked for five seconds`() {
        var reading = JournalReading(from: 9)
        _ = reading.connected(now: 0)
        var now: Int64 = 0
        var actions: [JournalReading.Action] = []
        while actions == [], now < 60_000 {
            actions = reading.answered((1, 5), round: reading.round, now: now)
            now += 1
            if actions == [] { _ = reading.tick(now: now) }
        }
        #expect(actions == [.end(.ahead(last: 5))])
        #expect((5000...7500).contains(now))
    }

    @Test func `a journal without a leader in between does not count as one that ends too early`() {
        var reading = JournalReading(from: 9)
        _ = reading.connected(now: 0)
        for second in Int64(0)..<60 {
            let bounds: (UInt64, UInt64)? = second % 4 == 0 ? nil : (1, 5)
            #expect(reading.answered(bounds, round: reading.round, now: second * 1000) == [])
            _ = reading.tick(now: second * 1000 + 999)
            _ = reading.connected(now: second * 1000 + 999)
        }
    }

    @Test func `the entry after the last one may be wanted, and one that is gone may not`() {
        _ = Self.begun(from: 10, last: 9)
        var reading = JournalReading(from: 3)
        _ = reading.connected(now: 0)
        #expect(reading.answered((4, 9), round: 1, now: 0) == [.end(.gone(first: 4))])
    }

    @Test func `without a connection nothing is asked, and a new one begins with the next entry`() {
        var reading = Self.begun()
        _ = reading.received(1, round: 1, now: 0)
        reading.disconnected()
        #expect(reading.tick(now: 60_000) == [])
        #expect(reading.received(2, round: 1, now: 0) == (false, []))
        #expect(reading.connected(now: 0) == [.ask(round: 2)])
        #expect(reading.answered((1, 9), round: 2, now: 0) == [.create(round: 2, start: 2)])
    }
}

private func == (
    left: (delivers: Bool, actions: [JournalReading.Action]), right: (Bool, [JournalReading.Action])
) -> Bool {
    left.delivers == right.0 && left.actions == right.1
}
