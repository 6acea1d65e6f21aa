import EventLoop
import JournalLink
import Telemetry
import ThreadMessages

/// The journal with the seal of this cluster: nothing that is not signed with its secret reaches the rest of the thread.
///
/// - Confinement: loop
final class SealedJournal {
    /// A message of the stream at its place.
    ///
    /// - Confinement: any
    struct Entry: Sendable, Hashable {
        let sequence: UInt64
        let content: JournalSeal.Opened
    }

    /// Between two lines of the log about messages that are not of this cluster.
    private static let logMilliseconds: Int64 = 60_000

    private let journal: any ClusterJournal
    private let seal: JournalSeal
    private let metrics: JournalMetrics
    private let log: ServerLog
    private let loop: Loop
    private var logAt: Int64 = 0

    init(_ journal: any ClusterJournal, _ seal: JournalSeal, in surroundings: ClusterSurroundings) {
        self.journal = journal
        self.seal = seal
        metrics = surroundings.metrics.journal
        log = surroundings.log
        loop = surroundings.loop
    }

    /// The largest entry that the journal takes, in bytes; nil without a connection.
    var messageBytesMax: Int? {
        journal.messageBytesMax.map { $0 - ClusterLimits.headerBytes - JournalSeal.headBytes }
    }

    /// As ``ClusterJournal/counts``.
    var counts: JournalCounts { journal.counts }

    /// Appends an entry if it becomes the successor of `last`.
    ///
    /// - Parameter previous: the newest entry that counts.
    func append(
        _ bytes: [UInt8], after last: UInt64, previous: UInt64, timeoutMilliseconds: Int,
        _ done: @escaping (AppendOutcome) -> Void
    ) {
        let sealed = seal.seal(entry: bytes, after: last, previous: previous)
        journal.append(sealed, after: last, timeoutMilliseconds: timeoutMilliseconds, done)
    }

    /// As ``ClusterJournal/askBounds(_:)``.
    func askBounds(_ done: @escaping (Result<JournalBounds, JournalFailure>) -> Void) { journal.askBounds(done) }

    /// As ``ClusterJournal/askStream(_:)``.
    func askStream(_ done: @escaping (ClusterView.Stream) -> Void) { journal.askStream(done) }

    /// Reads in order from an entry on, until it ends or is stopped.
    func read(
        from sequence: UInt64, _ handle: @escaping ([Entry]) -> Void, ended: @escaping (JournalReadEnd) -> Void
    ) -> any ClusterReading {
        journal.read(
            from: sequence,
            { [unowned self] messages in
                handle(
                    messages.map { message in
                        let content = seal.open(entry: message.bytes, at: message.sequence)
                        if content == .foreign { note("entry \(message.sequence)") }
                        return Entry(sequence: message.sequence, content: content)
                    })
            }, ended: ended)
    }

    /// Sends a message that is not kept, or drops it.
    ///
    /// - Parameter rest: the subject after `ww.APP.`.
    /// - Returns: whether it was sent.
    func send(_ bytes: [UInt8], to rest: String) -> Bool { journal.send(seal.seal(signal: bytes, to: rest), to: rest) }

    /// Takes messages of the other nodes, from now on.
    ///
    /// - Parameter stranger: takes the bytes of a message that is not of this cluster.
    func listen(
        to rest: String, strangers stranger: @escaping ([UInt8]) -> Void = { _ in },
        _ handle: @escaping (JournalSignal) -> Void
    ) {
        journal.listen(to: rest) { [unowned self] signal in
            let (bytes, isOurs) = seal.open(signal: signal.bytes, from: rest)
            guard isOurs else {
                note(signal.subject)
                return stranger(bytes)
            }
            handle(JournalSignal(subject: signal.subject, reply: signal.reply, bytes: bytes))
        }
    }

    /// As ``ClusterJournal/changeServer(because:)``.
    func changeServer(because reason: String) { journal.changeServer(because: reason) }

    func close() { journal.close() }

    private func note(_ place: String) {
        metrics.foreign.add(1)
        guard loop.now >= logAt else { return }
        logAt = loop.now + Self.logMilliseconds
        log.warning(
            "the journal has something that is not signed with the secret of this cluster: it is passed over",
            ["place": place])
    }
}

@available(*, unavailable)
extension SealedJournal: Sendable {}
