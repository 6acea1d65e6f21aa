import Authentication
import ClientProtocol
import EventLoop
import Execution
import Model
import Quotas
import Store
import Synchronization
import Telemetry
import ThreadMessages

/// The way from one loop to the writer and the readers: hands work to them, as far as it may wait there.
///
/// - Confinement: loop
final class Orders {
    private let loop: Loop
    private let mail: Mailboxes
    private let metrics: Metrics
    private let peers: PeerPolicy
    private let clock: WallClock
    private let isMember: Bool
    private var nextReader = 0

    init(on loop: Loop, _ settings: LoopSettings) {
        self.loop = loop
        mail = settings.mail
        metrics = settings.metrics
        peers = settings.peers
        clock = settings.clock
        isMember = settings.isMember
    }

    /// Hands a write to the writer; its outcome comes back with the ticket, or goes to the node of its origin.
    ///
    /// - Parameters:
    ///   - bytes: that it takes in memory until it is answered.
    ///   - weight: of its command.
    ///   - account: of the user whose write it is; nil for an administrator's.
    ///   - audit: the row that the audit gets in the write's transaction.
    ///   - source: the write as its client sent it, of which `bytes` are a part; nil on a node that is alone.
    ///   - origin: where another node has taken it; nil for writes of this one.
    /// - Throws: `Refusal`: `unavailable` when too much waits already, `rate-limited` when the user has written too much;
    ///   then nothing was handed over.
    func submit(
        _ useCase: any WriteUseCase, by actor: Actor, for address: ConnectionAddress?, _ ticket: Ticket,
        bytes: Int = Limits.orderBytes, weight: Int = 1, _ account: UserAccount? = nil, audit: AuditNote? = nil,
        handing source: HandedWork?, of origin: HandedOrigin? = nil
    ) throws(Refusal) {
        try admit(bytes, for: account)
        try admitWriting(of: actor, account)
        let work = account?.write.mean(ofWeight: weight) ?? 0
        if let account, !peers.memory.mayWork(work, for: account) {
            metrics.refused(.waitingWork)
            throw Refusal.tooMuchWaits
        }
        metrics.writesPending.add(1)
        peers.memory.wait(bytes, for: account)
        if let account { peers.memory.wait(microseconds: work, for: account) }
        let request = WriteRequest(actor: actor, at: clock.now(), useCase: useCase, audit: audit)
        let order = WriteOrder(
            address: address, ticket: ticket, request: request, source: source, origin: origin, bytes: bytes,
            weight: weight, work: work, account: account, tick: loop.now, arrived: loop.turnMicroseconds)
        mail.writer.post(.write(order))
    }

    /// The same, where the form for other nodes is made only when there are some.
    func submit(
        _ useCase: any WriteUseCase, by actor: Actor, for address: ConnectionAddress, _ ticket: Ticket,
        bytes: Int = Limits.orderBytes, weight: Int = 1, _ account: UserAccount? = nil, audit: AuditNote? = nil,
        source: @autoclosure () -> HandedWork
    ) throws(Refusal) {
        try submit(
            useCase, by: actor, for: address, ticket, bytes: bytes, weight: weight, account, audit: audit,
            handing: isMember ? source() : nil)
    }

    /// Hands a write of another node to the writer.
    func submit(
        _ useCase: any WriteUseCase, by actor: Actor, of origin: HandedOrigin, bytes: Int = Limits.orderBytes,
        weight: Int = 1, _ account: UserAccount? = nil, audit: AuditNote? = nil, _ source: HandedWork? = nil
    ) throws(Refusal) {
        try submit(
            useCase, by: actor, for: nil, .none, bytes: bytes, weight: weight, account, audit: audit, handing: source,
            of: origin)
    }

    /// Checks whether the user may write, or has written too much in the hour.
    ///
    /// - Throws: `Refusal` (`rate-limited`) after too much.
    private func admitWriting(of actor: Actor, _ account: UserAccount?) throws(Refusal) {
        guard let account, case .user = actor,
            let wait = account.writeWait(anHour: peers.writeBytesAnHour, at: loop.now)
        else { return }
        metrics.refused(.written)
        throw Refusal.writtenTooMuch(wait)
    }

    /// Checks whether an order of this size may wait for the writer or a reader.
    ///
    /// - Throws: `Refusal` (`unavailable`) when too much waits already.
    func admit(_ bytes: Int, for account: UserAccount?) throws(Refusal) {
        guard !peers.memory.mayWait(bytes, for: account) else { return }
        metrics.refused(.memory)
        throw Refusal.tooMuchWaits
    }

    /// Hands a read to one of the readers, in turn.
    ///
    /// - Parameters:
    ///   - bytes: that it takes in memory until it is answered.
    ///   - weight: of its command.
    ///   - account: of the user whose turn it takes; nil for an administrator's.
    func read(
        _ work: ReadOrder.Work, for address: ConnectionAddress, bytes: Int = Limits.orderBytes,
        weight: Int = 1, _ account: UserAccount? = nil
    ) {
        nextReader = (nextReader + 1) % mail.readers.count
        peers.memory.wait(bytes, for: account)
        mail.readers[nextReader].post(
            .read(
                ReadOrder(
                    address: address, work: work, bytes: bytes, weight: weight, account: account, tick: loop.now,
                    arrived: loop.turnMicroseconds)))
    }

    /// An answer has come back to the loop; it no longer waits between the threads.
    func arrived(_ outcome: Outcome) { peers.memory.arrived(outcome.bodyBytes) }
}

@available(*, unavailable)
extension Orders: Sendable {}
