/// An event outside of the log for every session that is open when it is committed, on all nodes.
///
/// A class, so that a step carries it for a pointer.
///
/// - Confinement: any
package final class OnlineNotice: Sendable {
    package let name: EventName
    package let payload: Publication.Payload
    /// The broadcast whose progress counts its deliveries.
    package let broadcast: Int64
    /// The facts that decide whether it interrupts its receivers; nil when it is not a notification.
    package let facts: NotificationFacts?

    package init(
        _ name: EventName, _ payload: Publication.Payload, broadcast: Int64, facts: NotificationFacts? = nil
    ) {
        self.name = name
        self.payload = payload
        self.broadcast = broadcast
        self.facts = facts
    }
}

extension Publication.Payload {
    /// The length of all its texts together.
    package var bytes: Int {
        switch self {
        case .same(let bytes): bytes.count
        case .localized(let texts): texts.byLanguage.values.reduce(texts.fallback.count) { $0 + $1.count }
        }
    }
}
