import EventLoop
import Journal
import JournalLink
import Model
import Telemetry
import ThreadMessages

/// The ``SignalRelay`` of the cluster's thread, with the connection that carries its messages.
///
/// - Confinement: loop
final class SignalPort {
    private let relay: SignalRelay
    private let journal: SealedJournal
    private let loop: Loop

    init(_ start: NodeStart, in surroundings: ClusterSurroundings, journal: SealedJournal) {
        self.journal = journal
        loop = surroundings.loop
        relay = SignalRelay(
            node: start.node.name, boot: surroundings.clock.now(), mail: surroundings.mail,
            elsewhere: surroundings.sessionsElsewhere, metrics: surroundings.metrics, clock: surroundings.clock)
    }

    /// Takes the messages of the other nodes from now on.
    func listen() {
        for subject in relay.subjects {
            journal.listen(to: subject) { [relay, unowned self] signal in
                relay.receive(signal.bytes, at: loop.now)
                flush()
            }
        }
    }

    /// Takes what this node's threads say.
    func take(_ signal: OwnSignal) { relay.take(signal, at: loop.now) }

    /// The connection stands, again or for the first time.
    func connected() { relay.connected(at: loop.now) }

    func tick() { relay.tick(at: loop.now) }

    /// Sends what this turn has brought. A message that the connection does not take is lost: the next list mends it.
    func flush() {
        for message in relay.takePublications(at: loop.now) { _ = journal.send(message.bytes, to: message.subject) }
    }

    /// The node ends.
    func sayGoodbye() {
        let message = relay.goodbye()
        _ = journal.send(message.bytes, to: message.subject)
    }
}

@available(*, unavailable)
extension SignalPort: Sendable {}
