import ClientProtocol
import EventLoop
import Mail
import Model
import Synchronization
import Telemetry

// Sessions begin a few at a time: what a storm of reconnects asks of the readers is bounded, see `StartAdmission`.
extension LoopServer {
    /// A session's `hello` was accepted: it begins, waits for its turn, or is told to come back later.
    func askToStart(_ session: Session) {
        var random = SystemRandomNumberGenerator()
        switch admission.ask(session.address, at: loop.now, using: &random) {
        case .begin: session.beginStart()
        case .wait:
            session.startStage = .waiting
            settings.metrics.startsWaiting.add(1, ordering: .relaxed)
        case .turnAway(let delay): session.close(.overloaded, reconnectInMilliseconds: delay)
        }
    }

    /// A session that began is live, waits for its socket, or is gone: the next may begin.
    func startEnded() {
        admission.ended()
        beginWaiting()
    }

    /// A session that waited is gone.
    func leftQueue(_ address: ConnectionAddress) {
        admission.left(address)
        settings.metrics.startsWaiting.subtract(1, ordering: .relaxed)
    }

    /// Turns away who has waited too long, and tells of a storm that is over.
    func checkAdmission() {
        var random = SystemRandomNumberGenerator()
        while let (address, delay) = admission.nextOverdue(at: loop.now, using: &random) {
            settings.metrics.startsWaiting.subtract(1, ordering: .relaxed)
            guard let session = connection(at: address)?.session else { continue }
            session.startStage = .none
            session.close(.overloaded, reconnectInMilliseconds: delay)
        }
        guard let storm = admission.takeStorm(), storm.waited >= Limits.startsWaitingLogged || storm.turnedAway > 0
        else { return }
        settings.log.warning(
            "many sessions began at once",
            [
                "loop": "\(number)", "starts.waited": "\(storm.waited)", "turned.away": "\(storm.turnedAway)",
                "wait.max.ms": "\(storm.longestWaitMilliseconds)",
            ])
    }

    private func beginWaiting() {
        guard !isDraining else { return }
        while let address = admission.next(at: loop.now) {
            settings.metrics.startsWaiting.subtract(1, ordering: .relaxed)
            if let session = connection(at: address)?.session {
                session.beginStart()
            } else {
                admission.ended()
            }
        }
    }
}
