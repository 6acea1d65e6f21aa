import Cluster
import Configuration
import EventLoop
internal import Foundation
import JournalLink
import Outbound

/// A conversation with the journal on a loop of its own: before a server's threads start, and for commands of an operator.
///
/// Each question waits for its answer. Its owner must `close()` it.
///
/// - Confinement: the thread that made it
final class JournalTalk {
    let turned: TurnedLoop
    let client: JournalClient
    let options: JournalOptions
    private let events: Events

    /// The events of the connection.
    ///
    /// - Confinement: the thread of the conversation
    private final class Events {
        /// Why there is no connection, the newest last.
        var reasons: [String] = []
    }

    /// Starts to connect.
    ///
    /// - Throws: ``StartProblem`` without a descriptor or a thread for it.
    init(_ options: JournalOptions) throws(StartProblem) {
        self.options = options
        let events = Events()
        self.events = events
        turned = try TurnedLoop()
        do {
            client = try JournalClient(on: turned.loop, options) { event in
                switch event {
                case .unfit(let sentence): events.reasons.append(sentence)
                case .disconnected(let reason): events.reasons.append(reason)
                case .connected, .trouble: break
                }
            }
        } catch {
            turned.close()
            throw StartProblem(isConfiguration: false, "the journal cannot be asked: \(error)")
        }
    }

    var loop: Loop { turned.loop }

    /// Ends the connection.
    func close() {
        client.close()
        turned.close()
    }

    /// Takes messages of the nodes, from now on; those of strangers are dropped.
    ///
    /// - Parameter rest: the subject after `ww.APP.`.
    func listen(to rest: String, _ seal: JournalSeal, _ handle: @escaping ([UInt8]) -> Void) {
        client.subscribe(to: rest) { signal in
            let (bytes, isOurs) = seal.open(signal: signal.bytes, from: rest)
            if isOurs { handle(bytes) }
        }
    }

    /// Turns the loop until a condition holds.
    ///
    /// - Parameter isBusy: Asked after each turn; while it returns true there is no pause between turns.
    /// - Returns: whether it held in time.
    @discardableResult
    func wait(
        milliseconds: Int64, isBusy: () -> Bool = { false }, until isTrue: () -> Bool
    ) -> Bool {
        turned.wait(milliseconds: milliseconds, isBusy: isBusy, until: isTrue)
    }

    /// Waits for a connection.
    ///
    /// - Throws: ``StartProblem`` with the reasons.
    func connect(milliseconds: Int64) throws(StartProblem) {
        guard !wait(milliseconds: milliseconds, until: { client.server != nil }) else { return }
        let names = options.addresses.map(\.description).joined(separator: ", ")
        throw StartProblem(isConfiguration: false, "no connection to the journal (\(names)): \(reason)")
    }

    /// Why there is no connection.
    var reason: String { events.reasons.last ?? "no server answers" }

    /// The state of the stream; nil when there is no stream. It is asked again while the journal has no leader.
    ///
    /// - Throws: ``StartProblem``.
    func state(milliseconds: Int64) throws(StartProblem) -> StreamState? {
        let result = ask(milliseconds: milliseconds) { client, done in client.askState(done) }
        switch result {
        case .success(let state): return state
        case .failure(.refused(code: 10059, _)): return nil
        case .failure(let failure):
            throw StartProblem(isConfiguration: false, "the stream \(options.stream) cannot be asked: \(failure)")
        }
    }

    /// Whether the stream lacks an entry, as its leader says now.
    func lacks(_ sequence: UInt64) -> Bool {
        ask(milliseconds: 0) { client, done in client.askEntry(sequence, done) } == .success(false)
    }

    /// Makes the stream if it is missing and wanted, and compares it with the settings.
    ///
    /// - Throws: ``StartProblem``.
    func checkStream(
        _ settings: StreamSettings, makes: Bool, milliseconds: Int64
    ) throws(StartProblem) -> StreamReport {
        let result = ask(milliseconds: milliseconds) { client, done in
            client.checkStream(settings, makes: makes, done)
        }
        do {
            return try result.get()
        } catch {
            let verb = makes ? "made" : "asked"
            throw StartProblem(isConfiguration: false, "the stream \(options.stream) cannot be \(verb): \(error)")
        }
    }

    /// Deletes the stream.
    ///
    /// - Throws: ``StartProblem``.
    func deleteStream() throws(StartProblem) {
        let result = ask(milliseconds: 10_000) { client, done in client.deleteStream(done) }
        if case .failure(let failure) = result {
            throw StartProblem(isConfiguration: false, "the stream \(options.stream) cannot be deleted: \(failure)")
        }
    }

    /// The reports of the servers' monitoring ports, or why there is none, in the order of the URLs.
    func monitors(_ urls: [String]) -> [Result<JournalServerReport, JournalFailure>] {
        let outbound: OutboundClient
        do {
            outbound = try OutboundClient(on: loop, policy: .anywhere)
        } catch {
            return urls.map { _ in .failure(.malformed("\(error)")) }
        }
        defer { outbound.close() }
        var reports: [Int: Result<JournalServerReport, JournalFailure>] = [:]
        for (number, url) in urls.enumerated() {
            JournalMonitor.ask(url, about: options, with: outbound) { reports[number] = $0 }
        }
        wait(milliseconds: 10_000) { reports.count == urls.count }
        return urls.indices.map { reports[$0] ?? .failure(.noAnswer) }
    }

    /// Asks until there is an answer that a later question would not change.
    private func ask<Value>(
        milliseconds: Int64,
        _ ask: (JournalClient, @escaping (Result<Value, JournalFailure>) -> Void) -> Void
    ) -> Result<Value, JournalFailure> {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            var result: Result<Value, JournalFailure>?
            ask(client) { result = $0 }
            wait(milliseconds: 10_000) { result != nil }
            switch result ?? .failure(.noAnswer) {
            case .failure(.noLeader), .failure(.noAnswer), .failure(.notConnected):
                guard ContinuousClock.now < end else { return result ?? .failure(.noAnswer) }
                wait(milliseconds: 200) { false }
            case let final: return final
            }
        }
    }
}

@available(*, unavailable)
extension JournalTalk: Sendable {}
