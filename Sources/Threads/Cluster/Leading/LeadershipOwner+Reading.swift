import EventLoop
import Journal
import JournalLink
import Model
import Telemetry
import ThreadMessages

extension LeadershipOwner {
    /// Reads the journal from the first entry on that the database lacks, unless that is done already.
    func read() {
        guard stop == nil else { return }
        guard !reading.isOpen else { return reading.expectsMore() }
        reading.open(
            after: leadership.applied,
            { [weak self] entry in self?.receive(entry) ?? false },
            ended: { [weak self] end in self?.readingEnded(end) })
    }

    /// - Returns: whether to go on.
    private func receive(_ entry: Result<ReadEntry, ReadProblem>) -> Bool {
        switch entry {
        case .failure(let problem): give(.halted(.unreadable(sequence: problem.sequence, problem.problem)))
        case .success(let entry): give(.entry(entry.facts))
        }
        return stop == nil && reading.isOpen
    }

    func apply(_ range: ClosedRange<UInt64>) {
        guard let entry = reading.takeReady(through: range.upperBound) else { return }
        if case .commit(let commit) = entry.content { head = max(head, commit.head.value) }
        let place = JournalPlace(sequence: range.upperBound, term: entry.author.term)
        events.applies(entry)
        surroundings.mail.writer.post(.apply(entry, at: place))
    }

    private func readingEnded(_ end: JournalReadEnd) {
        surroundings.log.warning("the read of the journal ended", ["error": end.description])
        switch end {
        case .gone(let first): give(.lastSequence(max(first - 1, leadership.place.read), first: first))
        case .ahead(let last): give(.lastSequence(last, first: 1))
        case .hole(let next): give(.lastSequence(next, first: next))
        }
        read()
    }
}
