import Configuration
import Execution
import Model
import Store

/// Decides about pushes with the server's rules and settings, in one snapshot at a time.
///
/// - Confinement: store (the thread of pushes)
struct PushDecider {
    private let surroundings: PushSurroundings
    private let rules: RulesInForce
    private let badge: PushBadge

    init(_ configuration: PushConfiguration, in surroundings: PushSurroundings) {
        self.surroundings = surroundings
        badge = configuration.badge
        rules = RulesInForce(configured: surroundings.rules)
    }

    func deciding(in transaction: Transaction, at now: Timestamp) -> PushDeciding {
        let context = ReadContext(
            transaction: transaction, actor: .server, now: now, collections: surroundings.collections, rules: rules)
        return PushDeciding(in: context, epoch: surroundings.epoch, tags: surroundings.tags, badge: badge)
    }
}
