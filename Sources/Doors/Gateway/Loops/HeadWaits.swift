import ClientProtocol
import DequeModule
import EventLoop
import Model
import ThreadMessages

/// The sessions of one loop whose clients have seen more than this node has, because they were connected to another one:
/// each waits until the node has read that much from the journal, for at most
/// ``Model/Limits/headWaitMilliseconds``.
///
/// Nothing is read from the database meanwhile, and the session takes no place among those that begin.
///
/// - Confinement: loop
final class HeadWaits {
    private struct Wait {
        let address: ConnectionAddress
        let position: Position
        let until: Int64
    }

    private let loop: Loop
    private let epoch: Epoch
    private let log: DeliveredLog
    private let came: (ConnectionAddress) -> Void
    private let missed: (ConnectionAddress) -> Void
    private var timer: LoopTimer?
    /// In the order in which they began, which is that in which their time ends.
    private var waits = Deque<Wait>()
    /// The nearest position that is waited for; nothing is reached before it.
    private var nearest = Position(Position.bound - 1)

    /// - Parameters:
    ///   - epoch: of the log.
    ///   - log: says how far the loop is.
    ///   - came: called with each session whose position is here, and which may be gone meanwhile.
    ///   - missed: called with each session that has waited too long.
    init(
        on loop: Loop, _ epoch: Epoch, _ log: DeliveredLog, came: @escaping (ConnectionAddress) -> Void,
        missed: @escaping (ConnectionAddress) -> Void
    ) {
        self.loop = loop
        self.epoch = epoch
        self.log = log
        self.came = came
        self.missed = missed
        timer = LoopTimer(on: loop) { [unowned self] in endOverdue() }
    }

    /// A session names the last position that its client has seen.
    ///
    /// - Returns: whether the session has to wait for it.
    func wait(_ address: ConnectionAddress, for point: ResumePoint?) -> Bool {
        guard let point, point.epoch == epoch, point.seq > log.head else { return false }
        if waits.isEmpty { timer?.start(afterMilliseconds: MemberLimits.headWaitMilliseconds) }
        waits.append(Wait(address: address, position: point.seq, until: loop.now + MemberLimits.headWaitMilliseconds))
        nearest = min(nearest, point.seq)
        return true
    }

    /// A commit was delivered; `head` is the log's after it.
    func reached(_ head: Position) {
        guard !waits.isEmpty, head >= nearest else { return }
        let reached = waits.filter { $0.position <= head }
        keep(waits.filter { $0.position > head })
        for wait in reached { came(wait.address) }
    }

    private func endOverdue() {
        let now = loop.now
        let overdue = waits.prefix { $0.until <= now }
        keep(Deque(waits.dropFirst(overdue.count)))
        for wait in overdue { missed(wait.address) }
    }

    private func keep(_ left: Deque<Wait>) {
        waits = left
        nearest = left.lazy.map(\.position).min() ?? Position(Position.bound - 1)
        if let first = left.first {
            timer?.start(afterMilliseconds: max(1, first.until - loop.now))
        } else {
            timer?.stop()
        }
    }

    /// The loop ends.
    func close() {
        timer?.close()
        timer = nil
    }
}

@available(*, unavailable)
extension HeadWaits: Sendable {}
