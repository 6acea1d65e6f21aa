import DequeModule
import Journal
import JournalLink

/// An entry, or a part of one, that was read and decoded.
///
/// - Confinement: any
struct ReadEntry: Sendable {
    let facts: EntryFacts
}

/// An entry that cannot be decoded.
///
/// - Confinement: any
struct ReadProblem: Error, Sendable {
    let sequence: UInt64
    let problem: JournalProblem
}

/// The read of the journal: decodes entries, and reads on only as fast as the writer applies them.
///
/// - Confinement: loop
final class JournalReading {
    private let journal: SealedJournal
    private var read: (any ClusterReading)?
    private var entries = EntryReader()
    /// The newest entry that was decoded.
    private var decoded: UInt64 = 0
    /// The entry that the newest message completed, until the next message.
    private var ready: JournalEntry?
    /// Of the messages since the last complete entry.
    private var partBytes = 0
    /// Entries that the writer has not applied yet.
    private var waiting: Deque<(sequence: UInt64, bytes: Int)> = []
    private var waitingBytes = 0

    init(_ journal: SealedJournal) { self.journal = journal }

    var isOpen: Bool { read != nil }

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - sequence: The newest entry that the database has: parts of an incomplete entry are read again.
    ///   - handle: Takes each entry in its order; false when the rest of the turn's entries is not wanted.
    ///   - ended: Called when the read cannot go on.
    func open(
        after sequence: UInt64, _ handle: @escaping (Result<ReadEntry, ReadProblem>) -> Bool,
        ended: @escaping (JournalReadEnd) -> Void
    ) {
        entries = EntryReader()
        decoded = sequence
        partBytes = 0
        read = journal.read(
            from: sequence + 1, { [weak self] messages in self?.receive(messages, handle) },
            ended: { [weak self] end in
                self?.read = nil
                ended(end)
            })
    }

    /// The journal has more than came.
    func expectsMore() { read?.expectsMore() }

    /// Ends the read.
    func stop() {
        read?.stop()
        read = nil
    }

    private func receive(_ messages: [SealedJournal.Entry], _ handle: (Result<ReadEntry, ReadProblem>) -> Bool) {
        for message in messages where message.sequence > decoded {
            decoded = message.sequence
            let facts: EntryFacts
            do throws(JournalProblem) {
                facts = try open(message)
            } catch {
                _ = handle(.failure(ReadProblem(sequence: message.sequence, problem: error)))
                return
            }
            defer { ready = nil }
            guard handle(.success(ReadEntry(facts: facts))) else { return }
        }
        readOn()
    }

    /// Reads a message, and the entry that it completes.
    private func open(_ message: SealedJournal.Entry) throws(JournalProblem) -> EntryFacts {
        let (bytes, previous): ([UInt8], UInt64?)
        switch message.content {
        case .foreign: return EntryFacts(foreignAt: message.sequence)
        case .sealed(let entry, let before): (bytes, previous) = (entry, before)
        case .unsealed(let entry): (bytes, previous) = (entry, nil)
        }
        partBytes += bytes.count
        let opened = try OpenedEntry(bytes)
        ready = try entries.receive(opened)
        return opened.facts(at: message.sequence, after: previous)
    }

    /// The entry that is complete now, to be given to the writer.
    func takeReady(through sequence: UInt64) -> JournalEntry? {
        guard let entry = ready else { return nil }
        waiting.append((sequence, partBytes))
        waitingBytes += partBytes
        partBytes = 0
        ready = nil
        return entry
    }

    /// The writer has applied everything up to an entry.
    func noteApplied(_ sequence: UInt64) {
        while let first = waiting.first, first.sequence <= sequence {
            waitingBytes -= first.bytes
            waiting.removeFirst()
        }
        readOn()
    }

    /// More entries may come, while few wait for the writer.
    private func readOn() {
        guard waitingBytes <= ClusterLimits.waitingBytesMax else { return }
        read?.consumed(through: decoded)
    }
}

@available(*, unavailable)
extension JournalReading: Sendable {}
