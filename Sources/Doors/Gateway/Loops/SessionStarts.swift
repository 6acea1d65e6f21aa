import Configuration
import EventLoop
import Model
import Synchronization
import Telemetry
import ThreadMessages

/// The starts of one loop's sessions, a few at a time: what a storm of reconnects asks of the readers is bounded, see
/// ``StartAdmission``.
///
/// - Confinement: loop
final class SessionStarts {
    private let number: Int
    private let loop: Loop
    private let metrics: Metrics
    private let log: ServerLog
    private let drain: Drain
    private let beginStart: (ConnectionAddress) -> Bool
    private let turnAway: (ConnectionAddress, Int64) -> Void
    private var admission: StartAdmission<ConnectionAddress>

    /// - Parameter number: of the loop.
    init(ofLoop number: Int, _ loop: Loop, _ settings: LoopSettings, _ drain: Drain, _ reach: SessionReach) {
        self.number = number
        self.loop = loop
        metrics = settings.metrics
        log = settings.log
        self.drain = drain
        beginStart = reach.beginStart
        turnAway = reach.turnAway
        admission = StartAdmission(bounds: settings.configuration.startBounds)
    }

    /// A session's `hello` was accepted: it begins, waits for its turn, or is to come back later.
    func ask(_ address: ConnectionAddress) -> StartAdmission<ConnectionAddress>.Decision {
        var random = SystemRandomNumberGenerator()
        let decision = admission.ask(address, at: loop.now, using: &random)
        if decision == .wait { metrics.startsWaiting.add(1) }
        return decision
    }

    /// A session that began is live, waits for its socket, or is gone: the next may begin.
    func ended() {
        admission.ended()
        beginWaiting()
    }

    /// A session that waited is gone.
    func left(_ address: ConnectionAddress) {
        admission.left(address)
        metrics.startsWaiting.subtract(1)
    }

    /// Turns away the sessions that have waited too long, and logs a storm that is over.
    func eachSecond() {
        var random = SystemRandomNumberGenerator()
        while let (address, delay) = admission.nextOverdue(at: loop.now, using: &random) {
            metrics.startsWaiting.subtract(1)
            turnAway(address, delay)
        }
        guard let storm = admission.takeStorm(), storm.waited >= Limits.startsWaitingLogged || storm.turnedAway > 0
        else { return }
        log.warning(
            "many sessions began at once",
            [
                "loop": "\(number)", "starts.waited": "\(storm.waited)", "turned.away": "\(storm.turnedAway)",
                "wait.max.ms": "\(storm.longestWaitMilliseconds)",
            ])
    }

    private func beginWaiting() {
        guard !drain.hasBegun else { return }
        while let address = admission.next(at: loop.now) {
            metrics.startsWaiting.subtract(1)
            if !beginStart(address) { admission.ended() }
        }
    }
}

@available(*, unavailable)
extension SessionStarts: Sendable {}
