import EventLoop
import Foundation
import JournalLink
import Testing

/// A client on a loop that the test's thread turns until something has happened.
/// - Confinement: the thread of the test
final class JournalUser {
    struct Late: Error, CustomStringConvertible {
        let description: String
    }

    let loop: Loop
    let client: JournalClient
    private(set) var events: [JournalLinkEvent] {
        get { log.events }
        set { log.events = newValue }
    }
    /// Others whose loops are turned along.
    var companions: [JournalUser] = []
    private let log: Log

    private final class Log {
        var events: [JournalLinkEvent] = []
    }

    init(_ options: JournalOptions, beginning first: Int = 0) throws {
        loop = try Loop()
        let log = Log()
        self.log = log
        client = try JournalClient(on: loop, options, beginning: first) { log.events.append($0) }
    }

    deinit {
        client.close()
        loop.stop()
        loop.run()
    }

    /// Turns the loop until a condition holds.
    func wait(_ seconds: Double = 20, for what: String, until isTrue: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isTrue() {
            guard ContinuousClock.now < end else {
                throw Late(description: "not within \(seconds) s: \(what); events: \(events.map(\.description))")
            }
            loop.turn()
            for companion in companions { companion.loop.turn() }
            usleep(100)
        }
    }

    /// Waits for a result.
    func result<Value>(_ seconds: Double = 20, of what: String, _ ask: (@escaping (Value) -> Void) -> Void) throws
        -> Value
    {
        var value: Value?
        ask { value = $0 }
        #expect(value == nil, "\(what) must not call back during the call")
        try wait(seconds, for: what) { value != nil }
        return try #require(value)
    }

    func connect(_ seconds: Double = 20) throws {
        try wait(seconds, for: "a connection") { client.server != nil }
    }

    /// Makes the stream, as soon as the servers have a leader for it.
    @discardableResult
    func makeStream(replicas: Int = 1, _ change: (inout StreamSettings) -> Void = { _ in }) throws -> StreamReport {
        var settings = StreamSettings()
        settings.replicas = replicas
        settings.bytesMax = 256 << 20
        change(&settings)
        try connect()
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let report = try result(of: "the stream") { client.checkStream(settings, makes: true, $0) }
            if case .success(let report) = report { return report }
            guard ContinuousClock.now < end else { return try report.get() }
            let again = ContinuousClock.now + .milliseconds(200)
            try wait(for: "a pause") { ContinuousClock.now > again }
        }
    }

    /// Appends.
    /// - Parameter sent: Called while the append is under way.
    func append(
        _ text: String, after last: UInt64, milliseconds: Int = 5000, _ sent: () throws -> Void = {}
    ) throws -> AppendOutcome {
        var outcome: AppendOutcome?
        client.append(Array(text.utf8), after: last, timeoutMilliseconds: milliseconds) { outcome = $0 }
        #expect(outcome == nil, "an append must not call back during the call")
        try sent()
        try wait(for: "an append") { outcome != nil }
        return try #require(outcome)
    }

    /// The name of the server that leads the stream, once there is one.
    func leader() throws -> String {
        var leader = ""
        try wait(for: "a leader") {
            leader = (try? state().leader) ?? ""
            return !leader.isEmpty
        }
        return leader
    }

    func state() throws -> StreamState {
        try result(of: "the state") { client.askState($0) }.get()
    }
}

/// The entries that a read has brought.
final class Collected {
    var texts: [String] = []
    var next: UInt64 = 1
    var end: JournalReadEnd?
    var reader: JournalReader?

    /// Reads from an entry on, and consumes at once.
    init(_ user: JournalUser, from sequence: UInt64 = 1, consumes: Bool = true) {
        next = sequence
        reader = user.client.follow(
            from: sequence,
            { [unowned self] entries in
                for entry in entries {
                    #expect(entry.sequence == next, "the entries are in order")
                    next = entry.sequence + 1
                    texts.append(String(decoding: entry.bytes, as: UTF8.self))
                }
                if consumes { reader?.consumed(through: next - 1) }
            },
            ended: { [unowned self] in end = $0 }
        )
    }
}
