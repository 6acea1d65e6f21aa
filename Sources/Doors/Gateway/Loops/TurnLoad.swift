import Model
import ThreadMessages

/// The bytes that one turn of a loop has written to many sessions. Most turns write none of these, and only check a flag.
///
/// - Confinement: loop
final class TurnLoad {
    /// Whether there is anything for ``end()``.
    var isHeavy = false
    /// Commits of this turn that take long to deliver.
    private var deliveries: [HeavyDelivery] = []
    /// Signals that crowds got in this turn.
    private var crowdSignals = 0

    /// A commit of this turn takes long to deliver.
    func note(_ delivery: HeavyDelivery) {
        deliveries.append(delivery)
        isHeavy = true
    }

    /// Whether a signal may be sent to a crowd in this turn; it then counts.
    func maySignal(_ sessions: Int) -> Bool {
        guard crowdSignals < Limits.crowdSignalsPerTurnMax else { return false }
        crowdSignals += sessions
        isHeavy = true
        return true
    }

    /// The sockets have everything that the turn wrote.
    func end() {
        isHeavy = false
        for delivery in deliveries { delivery.deliveredByOne() }
        deliveries.removeAll(keepingCapacity: true)
        crowdSignals = 0
    }
}

@available(*, unavailable)
extension TurnLoad: Sendable {}
