import EventLoop
import Foundation
import JournalLink
import Testing

/// The client against three NATS servers.
@Suite(.serialized, .enabled(if: JournalServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct ClusterTests {
    /// `Tests/JournalTrials/kill` wants more.
    private let rounds = Int(ProcessInfo.processInfo.environment["JOURNAL_ROUNDS"] ?? "1") ?? 1

    @Test func `no acknowledged entry is lost or moved when leader and then all are killed`() throws {
        let servers = try JournalServers(3)
        let writer = try JournalUser(try servers.options(), beginning: 0)
        let made = try writer.makeStream(replicas: 3)
        #expect(made.differences == [])
        let reader = try JournalUser(try servers.options(), beginning: 1)
        let read = Collected(reader)
        writer.companions = [reader]
        reader.companions = [writer]
        var appending = Appending(writer, reader, read)
        for _ in 0..<rounds {
            let before = appending.acknowledged.count
            try appending.run(entries: before + 200)
            let leader = try #require(servers.index(of: try writer.leader()))
            try appending.run(entries: before + 400) { number in
                guard number == before + 250 else { return }
                usleep(.random(in: 0...2000))
                servers.kill(leader)
            }
            try servers.start(leader)
            try appending.run(entries: before + 500) { number in
                guard number == before + 450 else { return }
                usleep(.random(in: 0...2000))
                for index in 0..<3 { servers.kill(index) }
                for index in 0..<3 { try servers.start(index) }
            }
        }
        try reader.wait(60, for: "all entries") { read.texts.count >= appending.acknowledged.count }
        #expect(read.texts == appending.acknowledged, "each entry once, in the order of the appends")
        let times = appending.milliseconds.sorted()
        print(
            "\(rounds) rounds, \(times.count) appends to three servers: p50 \(times[times.count / 2]) ms, p99 \(times[times.count * 99 / 100]) ms,",
            "longest \(times.last ?? 0) ms, unknown \(appending.unknown), refused \(appending.refused),",
            "reader: \(read.reader?.rounds ?? 0) rounds, \(read.reader?.gaps ?? 0) gaps"
        )
    }

    @Test func `a writer that waits for each entry appends small and large ones, and the other node reads them`() throws
    {
        let servers = try JournalServers(3)
        let writer = try JournalUser(try servers.options(), beginning: 0)
        try writer.makeStream(replicas: 3)
        let reader = try JournalUser(try servers.options(), beginning: 1)
        let read = Collected(reader)
        try reader.connect()
        var last: UInt64 = 0
        for bytes in [250, 125_000] {
            let entry = String(repeating: "a", count: bytes)
            var times: [Double] = []
            for _ in 0..<300 {
                let start = ContinuousClock.now
                let outcome = try writer.append(entry, after: last)
                times.append((ContinuousClock.now - start) / .milliseconds(1))
                #expect(outcome == .appended(last + 1))
                last += 1
            }
            times.sort()
            print("\(bytes) bytes, one under way: p50 \(times[150]) ms, p99 \(times[297]) ms")
        }
        let start = ContinuousClock.now
        try reader.wait(for: "all entries") { read.texts.count == 600 }
        print("600 entries, 38 MB, read in \((ContinuousClock.now - start) / .milliseconds(1)) ms")
        #expect(read.reader?.gaps == 0)
    }

    @Test func `two servers of three gone: no entry is acknowledged, and it goes on when one is back`() throws {
        let servers = try JournalServers(3)
        let user = try JournalUser(try servers.options(), beginning: 2)
        try user.makeStream(replicas: 3)
        #expect(try user.append("one", after: 0) == .appended(1))
        servers.kill(0)
        servers.kill(1)
        let outcome = try user.append("two", after: 1, milliseconds: 2000)
        switch outcome {
        case .unknown, .noLeader, .notConnected: break
        default: Issue.record("\(outcome) without a majority")
        }
        try servers.start(0)
        let read = Collected(user)
        try user.wait(60, for: "the second entry") {
            _ = try user.append("two", after: 1)
            return read.texts.count == 2
        }
        #expect(read.texts == ["one", "two"])
    }
}

/// One writer that repeats an entry until it knows where it is, as the leading node does.
private struct Appending {
    let writer: JournalUser
    let reader: JournalUser
    let read: Collected
    var acknowledged: [String] = []
    var milliseconds: [Double] = []
    var unknown = 0
    var refused = 0

    init(_ writer: JournalUser, _ reader: JournalUser, _ read: Collected) {
        self.writer = writer
        self.reader = reader
        self.read = read
    }

    /// Appends until there are as many entries.
    /// - Parameter sent: Called while each append is under way, with the number of entries before it.
    mutating func run(entries: Int, _ sent: (Int) throws -> Void = { _ in }) throws {
        while acknowledged.count < entries {
            let count = acknowledged.count
            try appendNext { try sent(count) }
        }
    }

    private mutating func appendNext(_ sent: () throws -> Void) throws {
        let last = UInt64(acknowledged.count)
        let text = "entry \(last + 1)"
        let start = ContinuousClock.now
        var tries = 0
        while true {
            tries += 1
            let outcome = try writer.append(text, after: last, milliseconds: 1000) { if tries == 1 { try sent() } }
            switch outcome {
            case .appended(let sequence):
                #expect(sequence == last + 1)
                return acknowledge(text, since: start)
            case .refused:
                refused += 1
                // There is no other writer: the successor is an earlier try of this entry, if it comes.
                if try isRead(last + 1) { return acknowledge(text, since: start) }
            case .unknown: unknown += 1
            case .noLeader, .notConnected: try pause()
            case .tooLarge, .rejected: Issue.record("an entry was rejected")
            }
            guard ContinuousClock.now - start < .seconds(60) else {
                throw JournalUser.Late(description: "no entry after \(last) for a minute")
            }
        }
    }

    private mutating func acknowledge(_ text: String, since start: ContinuousClock.Instant) {
        acknowledged.append(text)
        milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
    }

    private func pause() throws {
        let end = ContinuousClock.now + .milliseconds(50)
        try writer.wait(for: "a pause") { ContinuousClock.now > end }
    }

    /// Whether the entry with a sequence comes within a second.
    private func isRead(_ sequence: UInt64) throws -> Bool {
        let end = ContinuousClock.now + .seconds(1)
        try reader.wait(for: "an entry") { UInt64(read.texts.count) >= sequence || ContinuousClock.now > end }
        return UInt64(read.texts.count) >= sequence
    }
}
