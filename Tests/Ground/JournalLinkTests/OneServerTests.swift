import EventLoop
import Foundation
import JSON
import TestSupport
import Testing

@testable import JournalLink

/// The client against a real NATS server.
@Suite(.serialized, .enabled(if: JournalServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct OneServerTests {
    @Test func `the stream is made once, and every difference is named`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        let made = try user.makeStream()
        #expect(made.wasMade && made.differences == [])
        #expect(made.state.first == 1 && made.state.last == 0)
        #expect(made.state.version == ServerVersion(2, 15, 1))
        let found = try user.makeStream { settings in
            settings.replicas = 3
            settings.ageSecondsMax = 60
        }
        #expect(!found.wasMade)
        #expect(found.differences.map(\.name) == ["num_replicas", "max_age"])
        let other = try JournalUser(try servers.options("other"))
        try other.connect()
        let missing = try other.result(of: "no stream") {
            other.client.checkStream(StreamSettings(), makes: false, $0)
        }
        #expect(throws: JournalFailure.refused(code: 10059, reason: "stream not found")) { try missing.get() }
        #expect(try other.append("a", after: 0) == .noLeader, "nobody takes an entry without a stream")
    }

    @Test func `an entry is appended after the one that is expected, and after no other`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        #expect(try user.append("early", after: 0) == .notConnected)
        try user.makeStream()
        #expect(try user.append("one", after: 0) == .appended(1))
        #expect(try user.append("two", after: 1) == .appended(2))
        #expect(try user.append("again", after: 1) == .refused(last: 2))
        #expect(try user.append("first", after: 0) == .refused(last: 2), "0 is an expectation, too")
        #expect(try user.append("far", after: 9) == .refused(last: 2))
        #expect(try user.state().last == 2)
        let read = Collected(user)
        try user.wait(for: "two entries") { read.texts.count == 2 }
        #expect(read.texts == ["one", "two"])
    }

    @Test func `the journal says which entries it has`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.makeStream()
        #expect(try user.append("one", after: 0) == .appended(1))
        let has = { (sequence: UInt64) in
            try user.result(of: "entry \(sequence)") { user.client.askEntry(sequence, $0) }.get()
        }
        #expect(try has(1))
        #expect(try !has(2))
    }

    @Test func `an entry that is too large is refused before it is sent`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.makeStream()
        let bytesMax = 8 << 20
        #expect(user.client.server?.payloadBytesMax == bytesMax)
        let large = String(repeating: "a", count: bytesMax - 1000)
        #expect(try user.append(large, after: 0) == .appended(1))
        #expect(try user.append(large + large, after: 1) == .tooLarge(bytesMax: bytesMax))
        #expect(try user.append("small", after: 1) == .appended(2), "the connection goes on")
        let read = Collected(user)
        try user.wait(for: "the large entry") { read.texts.count == 2 }
        #expect(read.texts == [large, "small"])
        #expect(user.client.counts.connections == 1)
    }

    @Test func `ten thousand entries are read in order, from any place, as fast as they are consumed`() throws {
        let servers = try JournalServers(sync: "10s")
        let user = try JournalUser(try servers.options())
        try user.makeStream()
        try fill(user, 10_000)
        let all = Collected(user)
        let half = Collected(user, from: 5001)
        let slow = Collected(user, consumes: false)
        try user.wait(for: "all entries") { all.texts.count == 10_000 && half.texts.count == 5000 }
        #expect(all.texts == (1...10_000).map(String.init))
        #expect(half.texts == (5001...10_000).map(String.init))
        #expect(slow.texts.count == 500, "a reader that consumes nothing gets one request full")
        slow.reader?.consumed(through: 499)
        #expect(slow.texts.count == 500)
        slow.reader?.consumed(through: 500)
        try user.wait(for: "the next request") { slow.texts.count == 1000 }
        #expect(try user.append("10001", after: 10_000) == .appended(10_001))
        try user.wait(1, for: "the new entry") { all.texts.last == "10001" && half.texts.last == "10001" }
        #expect(all.reader?.gaps == 0 && all.reader?.rounds == 1)
    }

    @Test func `a read that cannot go on says why`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.makeStream { $0.bytesMax = 5000 }
        for number in UInt64(0)..<20 {
            #expect(try user.append(String(repeating: "a", count: 1000), after: number) == .appended(number + 1))
        }
        let first = try user.state().first
        #expect(first > 10)
        let gone = Collected(user, from: 1)
        let ahead = Collected(user, from: 22)
        let next = Collected(user, from: 21)
        try user.wait(for: "the end") { gone.end != nil }
        #expect(gone.end == .gone(first: first))
        #expect(ahead.end == nil, "a new leader may not have applied all yet")
        try user.wait(for: "the other end") { ahead.end != nil }
        #expect(ahead.end == .ahead(last: 20))
        #expect(next.end == nil && next.texts.isEmpty)
        #expect(try user.append("b", after: 20) == .appended(21))
        try user.wait(for: "the next entry") { next.texts == ["b"] }
    }

    @Test func `a server that comes back is used again, and reads go on`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.makeStream()
        let read = Collected(user)
        var heard = 0
        user.client.subscribe(to: "heartbeat") { _ in heard += 1 }
        #expect(try user.append("one", after: 0) == .appended(1))
        servers.kill(0)
        try user.wait(for: "the end of the connection") { user.client.server == nil }
        #expect(try user.append("lost", after: 1) == .notConnected)
        #expect(!user.client.publish([1], to: "heartbeat"))
        try servers.start(0)
        try user.connect()
        try user.wait(for: "the stream") { (try? user.state()) != nil }
        #expect(try user.append("two", after: 1) == .appended(2))
        #expect(user.client.publish([1], to: "heartbeat"))
        try user.wait(for: "the second entry and the signal") { read.texts == ["one", "two"] && heard == 1 }
        #expect(user.client.counts.connections == 2)
        #expect(user.client.counts.droppedPublications == 1)
    }

    @Test func `an append that gets no answer is unknown, and the same bytes later tell`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.makeStream()
        #expect(try user.append("one", after: 0) == .appended(1))
        servers.freeze(0, true)
        let outcome = try user.append("two", after: 1, milliseconds: 300)
        servers.freeze(0, false)
        #expect(outcome == .unknown(reason: JournalFailure.noAnswer.description))
        #expect(user.client.counts.unknownOutcomes == 1)
        try user.connect()
        try user.wait(for: "the stream") { (try? user.state()) != nil }
        let again = try user.append("two", after: 1)
        #expect(again == .refused(last: 2), "it had arrived")
        let read = Collected(user)
        try user.wait(for: "two entries") { read.texts.count == 2 }
        #expect(read.texts == ["one", "two"])
    }

    @Test func `a frozen server is left after three seconds`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.connect()
        servers.freeze(0, true)
        let start = ContinuousClock.now
        try user.wait(for: "the end of the connection") { user.client.server == nil }
        #expect(ContinuousClock.now - start < .seconds(6))
        servers.freeze(0, false)
        try user.connect()
    }

    @Test func `signals reach the others in order, also a loop that has stood still`() throws {
        let servers = try JournalServers()
        let one = try JournalUser(try servers.options())
        let other = try JournalUser(try servers.options())
        try one.connect()
        try other.connect()
        var all: [String] = []
        var any = 0
        other.client.subscribe(to: "presence") { all.append(String(decoding: $0.bytes, as: UTF8.self)) }
        other.client.subscribe(to: "*") { _ in any += 1 }
        try other.wait(for: "both subscriptions") {
            one.client.publish([0], to: "presence")
            usleep(20_000)
            return !all.isEmpty && any > 0
        }
        let quiet = ContinuousClock.now + .milliseconds(200)
        try other.wait(for: "the last of these") { ContinuousClock.now > quiet }
        any = 0
        all = []
        for number in 0..<1000 { #expect(one.client.publish(Array("\(number)".utf8), to: "presence")) }
        usleep(500_000)
        try other.wait(for: "all signals") { all.count == 1000 && any == 1000 }
        #expect(all == (0..<1000).map(String.init))
    }

    @Test func `a kernel that takes no more bytes gets the rest later, and nobody waits for it`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.makeStream()
        servers.freeze(0, true)
        let start = ContinuousClock.now
        var outcome: AppendOutcome?
        let large = [UInt8](repeating: 7, count: 7 << 20)
        user.client.append(large, after: 0, timeoutMilliseconds: 5000) { outcome = $0 }
        // One that waited for the server would wait as long as that is frozen.
        #expect(outcome == nil && ContinuousClock.now - start < .seconds(5))
        #expect((user.client.connection?.bufferedBytes ?? 0) > 0)
        #expect(!user.client.publish([1], to: "presence"), "signals are dropped")
        usleep(200_000)
        servers.freeze(0, false)
        try user.wait(for: "the answer") { outcome != nil }
        #expect(outcome == .appended(1))
        #expect(user.client.connection?.bufferedBytes == 0)
        #expect(user.client.counts.connections == 1 && user.client.counts.droppedPublications == 1)
    }

    @Test func `a question that nobody takes fails at once, and those beside it get their own answers`() throws {
        let servers = try JournalServers()
        let user = try JournalUser(try servers.options())
        try user.makeStream()
        let missing = try JournalUser(try servers.options("missing"))
        try missing.connect()
        for _ in 0..<3 {
            var outcomes: [AppendOutcome] = []
            var states = 0
            for _ in 0..<5 {
                missing.client.append([1], after: 0, timeoutMilliseconds: 5000) { outcomes.append($0) }
                missing.client.askState { if case .failure(.refused(code: 10059, reason: _)) = $0 { states += 1 } }
            }
            try missing.wait(1, for: "all answers") { outcomes.count == 5 && states == 5 }
            #expect(outcomes.allSatisfy { $0 == .noLeader })
        }
    }

    @Test func `wrong credentials are said, and right ones are used`() throws {
        let servers = try JournalServers(more: "authorization { user: node, password: secret }")
        let wrong = try JournalUser(try servers.options(user: "node:wrong@"))
        try wrong.wait(for: "the reason") {
            wrong.events.contains { $0.description.contains("Authorization Violation") }
        }
        #expect(!wrong.events.contains { $0.description.contains("wrong@") }, "no log has the password")
        #expect(wrong.client.server == nil)
        let right = try JournalUser(try servers.options(user: "node:secret@"))
        try right.makeStream()
        #expect(try right.append("one", after: 0) == .appended(1))
    }

    @Test func `a credentials file is used, and a missing or foreign one is said`() throws {
        let accounts = try String(contentsOfFile: JournalServers.file("Credentials/operator.conf"), encoding: .utf8)
        let servers = try JournalServers(more: accounts)
        var options = try servers.options()
        options.credentials = JournalServers.file("Credentials/node.creds")
        let user = try JournalUser(options)
        try user.makeStream()
        #expect(try user.append("one", after: 0) == .appended(1))
        let read = Collected(user)
        try user.wait(for: "the entry") { read.texts == ["one"] }
        let without = try JournalUser(try servers.options())
        let refusal = "Authorization Violation"
        try without.wait(for: "the reason") { without.events.contains { $0.description.contains(refusal) } }
        options.credentials = "/nowhere/node.creds"
        let missing = try JournalUser(options)
        try missing.wait(for: "the other reason") {
            missing.events.contains { $0.description.contains("/nowhere/node.creds") }
        }
        #expect(without.client.server == nil && missing.client.server == nil)
    }

    @Test(.enabled(if: TestAuthority.made != nil, "the openssl command line is not there"))
    func `TLS is used with the given authority, and no other certificate is trusted`() throws {
        let authority = try #require(TestAuthority.made)
        let files = "cert_file: \"\(authority.serverCertificate)\", key_file: \"\(authority.serverKey)\""
        let servers = try JournalServers(more: "tls { \(files) }")
        var options = try servers.options()
        let stranger = try JournalUser(options)
        try stranger.wait(for: "the reason") { stranger.events.contains { $0.description.contains("certificate") } }
        #expect(stranger.client.server == nil)
        options.authorities = authority.certificate
        let user = try JournalUser(options)
        try user.makeStream()
        #expect(user.client.server?.requiresTLS == true)
        #expect(try user.append("one", after: 0) == .appended(1))
    }

    @Test func `a subject that the user may not use is reported`() throws {
        let servers = try JournalServers(
            more: """
                authorization { users: [ { user: node, password: secret, permissions: {
                    publish: ["ww.test.>", "$JS.API.>", "_INBOX.>"], subscribe: ["ww.test.>", "_INBOX.>"] } } ] }
                """
        )
        let user = try JournalUser(try servers.options(user: "node:secret@"))
        try user.makeStream()
        #expect(try user.append("one", after: 0) == .appended(1))
        let read = Collected(user)
        try user.wait(for: "the entry") { read.texts == ["one"] }
        let other = try JournalUser(try servers.options("other", user: "node:secret@"))
        try other.connect()
        other.client.subscribe(to: "presence") { _ in }
        try other.wait(for: "the trouble") {
            other.events.contains { if case .trouble = $0 { true } else { false } }
        }
        #expect(other.client.server != nil)
    }

    /// Appends many entries, several under way.
    private func fill(_ user: JournalUser, _ count: Int) throws {
        var sent = 0
        var done = 0
        try user.wait(60, for: "\(count) entries") {
            while sent < count, sent - done < 200 {
                user.client.append(Array("\(sent + 1)".utf8), after: UInt64(sent), timeoutMilliseconds: 10_000) {
                    outcome in
                    done += 1
                    #expect(outcome == .appended(UInt64(done)))
                }
                sent += 1
            }
            return done == count
        }
    }
}
