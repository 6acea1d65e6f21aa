import Fanout
import Model
import ThreadMessages

/// The steps of a commit as they are laid out for delivery: events that follow each other in one stream become a run,
/// with what stands between them: outcomes of writes, and counts, which are absolute and as of a position, or of the run's room.
///
/// - Confinement: any
struct DeliverySteps {
    private var steps: [LoopStep] = []
    private var run: [FramedPublication] = []
    private var runBytes = 0
    /// Whether one of the run counts as one more unread.
    private var hasNotification = false
    private var between: [LoopStep.Between] = []
    /// Whether there are counts among it, which a notification must not overtake: they are of an earlier position.
    private var hasCounts = false

    init(capacity: Int) { steps.reserveCapacity(capacity) }

    /// The next step of the commit.
    mutating func append(_ step: KeptStep) {
        switch step {
        case .publication(let publication): append(publication)
        case .change(let change) where change.isOfCounts && !run.isEmpty && !hasNotification:
            between.append(LoopStep.Between(place: run.count, step: .change(change)))
            hasCounts = true
        case .change(let change) where change.room != nil && change.room == run.last?.publication.stream:
            between.append(LoopStep.Between(place: run.count, step: .change(change)))
        case .change(let change):
            endRun()
            steps.append(.change(change))
        }
    }

    /// A write of the commit ends here, with this outcome.
    mutating func append(_ address: ConnectionAddress, _ ticket: Ticket, _ outcome: Outcome) {
        let step = LoopStep.outcome(address, ticket, outcome)
        if run.isEmpty {
            steps.append(step)
        } else {
            between.append(LoopStep.Between(place: run.count, step: step))
        }
    }

    /// All of them.
    mutating func finish() -> [LoopStep] {
        endRun()
        return steps
    }

    private mutating func append(_ publication: FramedPublication) {
        guard let bytes = publication.sharedFrame?.count else {
            endRun()
            return steps.append(.publication(publication))
        }
        let isNotification = publication.publication.unread == .oneMore
        if let last = run.last {
            let fits = publication.hasReceivers(of: last) && runBytes + bytes <= PublicationRun.bytesMax
            if !fits || hasCounts && isNotification { endRun() }
        }
        run.append(publication)
        hasNotification = hasNotification || isNotification
        runBytes += bytes
    }

    private mutating func endRun() {
        guard !run.isEmpty else { return }
        steps.append(.run(PublicationRun(run), between: between))
        run.removeAll(keepingCapacity: true)
        between.removeAll(keepingCapacity: true)
        runBytes = 0
        hasNotification = false
        hasCounts = false
    }
}

extension SessionChange {
    fileprivate var isOfCounts: Bool {
        if case .unread = self { true } else { false }
    }

    /// The room of which some have nothing unread any more.
    fileprivate var room: StreamID? {
        if case .roomRead(_, let room, _) = self { room } else { nil }
    }
}
