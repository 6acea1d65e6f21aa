import Client
import ClientProtocol
import EventLoop
import JSON
import Model
import Session

/// Sessions that stay connected, on a loop of their own. Their pings and messages are timed, which shows the storm's
/// effect on established sessions, separately from the load on this program's other loops.
///
/// - Confinement: loop
final class StormProbe: ClientSessionDelegate {
    /// When a duration was measured.
    enum Moment: Sendable, Hashable { case before, during }

    /// The measured actions.
    enum Timed: Sendable, Hashable { case ping, send }

    typealias Figures = [Moment: [Timed: Latencies]]

    private static let sessionCount = 8
    /// Milliseconds between a ping and the next; the same for messages.
    private static let everyMilliseconds: Int64 = 5

    private let board: StormBoard
    private var sessions: [ClientSession] = []
    private var users: [UserID] = []
    private var timer: LoopTimer?
    private var moment: Moment?
    private var figures: Figures = [:]
    private var count = 0

    init(on loop: Loop, plan: StormPlan, board: StormBoard) {
        self.board = board
        for number in 0..<Self.sessionCount {
            guard let user = plan.user("p\(number)") else { continue }
            var configuration = ClientSessionConfiguration(device: "storm")
            configuration.backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000)
            let session = ClientSession(on: loop, server: plan.server, configuration: configuration) {
                [mint = plan.mint] in mint.token(for: user)
            }
            session.delegate = self
            sessions.append(session)
            users.append(user)
        }
        let timer = LoopTimer(on: loop) { [unowned self] in probe() }
        timer.start(afterMilliseconds: Self.everyMilliseconds, repeatingMilliseconds: Self.everyMilliseconds)
        self.timer = timer
    }

    /// Connects; each follows the next, so that it may write to it.
    func start() {
        for (place, session) in sessions.enumerated() {
            session.start()
            session.submit(.follow(Topic(user: users[(place + 1) % users.count])))
        }
    }

    /// Times what begins from now on as this; nil stops.
    func time(_ moment: Moment?) { self.moment = moment }

    func finish() {
        timer?.close()
        timer = nil
        for session in sessions { session.stop() }
        board.add(figures)
    }

    private func probe() {
        count += 1
        let session = sessions[count % sessions.count]
        guard let moment, session.isLive, session.pendingCount < 64 else { return }
        let begun = ContinuousClock.now
        session.submit(ClientCommand(PingCommand.self)) { [unowned self] reply in note(.ping, moment, begun, reply) }
        guard let key = WriteKey("p-\(count)") else { return }
        let other = users[(count + 1) % users.count]
        session.submit(.send("probe", to: other, key: key)) { [unowned self] reply in
            note(.send, moment, begun, reply)
        }
    }

    private func note(_ timed: Timed, _ moment: Moment, _ begun: ContinuousClock.Instant, _ reply: ClientReply) {
        guard case .ok = reply else { return }
        figures[moment, default: [:]][timed, default: Latencies()].record(.now - begun)
    }

    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .ended(.stopped), .event, .live, .offline, .online, .reply, .reset, .violation: break
        case .ended(let end): board.fail("a probe ended: \(end)")
        }
    }
}

@available(*, unavailable)
extension StormProbe: Sendable {}
