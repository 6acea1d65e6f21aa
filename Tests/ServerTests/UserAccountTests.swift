import Foundation
import JSON
import Model
import Services
import TestSupport
import Testing

@testable import Server

/// What one user may cause, over all connections.
struct UserAccountTests {
    @Test func `weight is taken up to the burst, then as fast as it returns`() {
        let account = UserAccount()
        let now: Int64 = 1_000_000
        for _ in 0..<(Limits.userWeightBurst / 20) { #expect(account.take(20, at: now) == nil) }
        let wait = account.take(20, at: now) ?? 0
        #expect((1...5).contains(wait))
        #expect(account.take(20, at: now + wait) == nil)
        account.charge(Limits.userWeightPerSecond, at: now)
        #expect((990...1010).contains(account.take(20, at: now + wait) ?? 0))
    }

    @Test func `threads that take at once take no more together than there is`() async {
        let account = UserAccount()
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<2000).count { _ in account.takeInflated(1024, at: 1000) } }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == Limits.inflatedBytesFree / 1024)
    }

    @Test func `no hour has more bytes than are allowed, wherever it begins`() {
        let account = UserAccount()
        let allowed = 1 << 20
        var written: [(at: Int64, bytes: Int)] = []
        for now in stride(from: Int64(5_000_000), to: 5_000_000 + 3 * 3_600_000, by: 1000) {
            while account.writeWait(anHour: allowed, at: now) == nil {
                account.wrote(1000, anHour: allowed, at: now)
                written.append((now, 1000))
            }
        }
        for start in stride(from: Int64(5_000_000), to: 5_000_000 + 2 * 3_600_000, by: 60_000) {
            let sum = written.reduce(0) { (start..<start + 3_600_000).contains($1.at) ? $0 + $1.bytes : $0 }
            #expect(sum <= allowed + 2000)
        }
        #expect(written.count > 2 * allowed / 1000)
        let wait = account.writeWait(anHour: allowed, at: 5_000_000 + 3 * 3_600_000) ?? 0
        #expect(wait < 8000)
    }

    @Test func `accounts that say nothing any more are forgotten, those that do stay`() throws {
        let accounts = UserAccounts(sessionsMax: 2)
        let users = (0..<1000).compactMap { UserID("u\($0)") }
        for user in users { _ = accounts.find(user).take(1, at: 1000) }
        let here = try #require(accounts.takeSession(users[0]))
        accounts.find(users[1]).charge(1_000_000, at: 1000)
        #expect(accounts.count == 1000)
        for _ in 0..<16 { accounts.forgetIdle(at: 1000 + 60_000) }
        #expect(accounts.count == 2)
        #expect(accounts.find(users[0]) === here)
        #expect(accounts.takeSession(users[0]) != nil)
        #expect(accounts.takeSession(users[0]) == nil)
        accounts.giveSession(here)
        #expect(accounts.takeSession(users[0]) != nil)
    }

    @Test func `lanes take turns, each in its order, and what is put back is first`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<3).map { _ in UserAccount() }
        let lanes = accounts.map { FairLane($0, nil) }
        for number in 0..<300 { queue.append(number, to: lanes[0], expected: 100) }
        queue.append(1000, to: lanes[1], expected: 100)
        queue.append(1001, to: lanes[1], expected: 100)
        queue.append(2000, to: lanes[2], expected: 100)
        var taken = (0..<3).compactMap { _ in queue.next() }
        let time = queue.time
        taken += (0..<3).compactMap { _ in queue.next() }
        #expect(taken == [0, 1000, 2000, 1, 1001, 2])
        #expect(queue.count == 297)
        queue.putBack(taken[3...], since: time) { ($0 < 1000 ? lanes[0] : lanes[1], 100) }
        var rest: [Int] = []
        while let next = queue.next() { rest.append(next) }
        #expect(queue.isEmpty)
        #expect(rest.filter { $0 < 1000 } == Array(1..<300))
        #expect(rest.prefix(3).contains(1001))
    }

    @Test func `who wants little comes before all who want much, however many they are and however often`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<101).map { _ in UserAccount() }
        let greedy = accounts.dropLast().map { FairLane($0, nil) }
        for round in 0..<10 {
            for (number, lane) in greedy.enumerated() {
                queue.append(number * 10 + round, to: lane, expected: WorkMean.ofUnknown)
            }
        }
        let modest = FairLane(accounts[100], nil)
        var (microseconds, waits): (Int, [Int]) = (0, [])
        for tick in 0..<400 {
            // Every tenth time the thread is free there is something small of another.
            let came = tick % 10 == 0 ? microseconds : nil
            if came != nil { queue.append(-1, to: modest, expected: 100) }
            guard let next = queue.next() else { return }
            let took = next < 0 ? 100 : 5000
            microseconds += took
            if next < 0, let came { waits.append(microseconds - came) }
            let expected = next < 0 ? 100 : next % 10 == 0 ? WorkMean.ofUnknown : 5000
            queue.charge(next < 0 ? modest : greedy[next / 10], microseconds: Int64(took - expected))
        }
        #expect(waits.count == 40)
        #expect(waits.allSatisfy { $0 == 100 }, "\(waits)")
    }

    @Test func `who wants a little more than the others does not wait for ever where most is put back each time`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<101).map { _ in UserAccount() }
        let lanes = accounts.map { FairLane($0, nil) }
        let expected = { (number: Int) in number == 100 ? 185 : 55 }
        for number in 0..<10_000 { queue.append(number % 100, to: lanes[number % 100], expected: 55) }
        var batches = 0
        queue.append(100, to: lanes[100], expected: 185)
        while batches < 100 {
            batches += 1
            let done = (0..<30).compactMap { _ in queue.next() }
            if done.contains(100) { break }
            let time = queue.time
            let left = (0..<240).compactMap { _ in queue.next() }
            queue.putBack(left[...], since: time) { (lanes[$0], expected($0)) }
        }
        // Three rounds of the others, thirty in a batch.
        #expect(batches <= 11)
    }

    @Test func `a batch of which most was put back does not change whose turn it is`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<50).map { _ in UserAccount() }
        let lanes = accounts.map { FairLane($0, nil) }
        for round in 0..<20 {
            for (number, lane) in lanes.enumerated() { queue.append(number + 100 * round, to: lane, expected: 5000) }
        }
        var done: [Int] = []
        for _ in 0..<500 {
            guard let first = queue.next() else { return }
            let time = queue.time
            var others: [Int] = []
            while others.count < 99, let next = queue.next() { others.append(next) }
            done.append(first)
            queue.putBack(others[...], since: time) { (lanes[$0 % 100], 5000) }
        }
        // Ten of each lane, in its order, none before the others by more than one.
        for number in 0..<50 {
            #expect(done.filter { $0 % 100 == number } == (0..<10).map { number + 100 * $0 })
        }
        for (place, element) in done.enumerated() { #expect(abs(element / 100 - place / 50) <= 1) }
    }

    @Test func `a lane whose work takes long has fewer turns than one whose work does not, and both go on`() {
        var queue = FairQueue<Int>()
        let accounts = [UserAccount(), UserAccount()]
        let slow = FairLane(accounts[0], nil)
        let quick = FairLane(accounts[1], nil)
        for number in 0..<1000 {
            queue.append(number, to: slow, expected: 10_000)
            queue.append(-number - 1, to: quick, expected: 100)
        }
        let taken = (0..<600).compactMap { _ in queue.next() }
        let slowTurns = taken.count { $0 >= 0 }
        #expect((4...10).contains(slowTurns), "\(slowTurns) of 600")
        #expect(taken.filter { $0 >= 0 } == Array(0..<slowTurns))
    }

    @Test func `of whom nothing is known something is expected, then what was seen, and one slow piece is forgotten`() {
        let mean = WorkMean()
        #expect(mean.expected == WorkMean.ofUnknown)
        #expect(mean.mean < WorkMean.ofUnknown)
        mean.note(5000)
        #expect((mean.mean, mean.expected) == (5000, 5000))
        for _ in 0..<50 { mean.note(100) }
        #expect((100...120).contains(mean.mean))
    }

    @Test func `one user's connections share one pace`() throws {
        let accounts = UserAccounts(sessionsMax: 10)
        let user = try #require(UserID("many"))
        let other = try #require(UserID("other"))
        let session = try #require(accounts.takeSession(user))
        while session.take(20, at: 1000) == nil {}
        // A second session, and a request by HTTP, find the account that the first has used up.
        let second = try #require(accounts.takeSession(user))
        #expect(second.take(20, at: 1000) != nil)
        #expect(accounts.find(user).take(20, at: 1000) != nil)
        #expect(accounts.find(other).take(20, at: 1000) == nil)
    }

    @Test func `who has written much in the hour is told to wait, and others write on`() throws {
        let rules = try AccessRules(["users/{user}/notes/{note}": "owner"])
        let server = try TestServer {
            $0.rules = rules
            $0.writeBytesAnHour = 1 << 20
        }
        defer { server.application.stop() }
        let text = JSONValue.string(String(repeating: "x", count: 50_000))
        func put(_ user: String, _ number: Int) -> JSONValue {
            [
                "type": "put", "path": .string("users/\(user)/notes/1"), "data": ["text": text],
                "key": .string("k\(number)"),
            ]
        }
        let device = try server.device("writer")
        let replies = try (0..<30).map { try device.reply(to: device.post(put("writer", $0))) }
        let refused = replies.compactMap { $0["error"] }
        #expect((5...12).contains(30 - refused.count))
        #expect(refused.allSatisfy { $0["code"] == "rate-limited" })
        #expect(try #require(refused.last?["retryAfterMs"]?.integerValue) > 1000)
        // A connection anew, and by HTTP: it is the user who waits.
        let again = try server.device("writer").refused(put("writer", 100))
        #expect(again["code"] == "rate-limited")
        let posted = try Admin(HTTPPeer(port: server.port), token: server.token("writer"))
            .call("POST", "/v1/commands", put("writer", 101))
        #expect(posted.status == 429)
        try server.device("other").ok(put("other", 1))
    }
}
