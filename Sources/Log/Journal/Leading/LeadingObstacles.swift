/// All that keeps a node from leading at present.
///
/// - Confinement: any
struct LeadingObstacles: Sendable {
    private var present: Set<LeadingObstacle>
    /// The end of the obstacle ``LeadingObstacle/order``.
    private var orderEndsAt: Int64

    init(_ present: Set<LeadingObstacle>, at now: Int64) {
        self.present = present
        orderEndsAt = now
    }

    var isEmpty: Bool { present.isEmpty }

    /// The one that is named first; nil when the node may lead.
    var first: LeadingObstacle? { LeadingObstacle.allCases.first(where: present.contains) }

    mutating func insert(_ obstacle: LeadingObstacle) { present.insert(obstacle) }

    mutating func remove(_ obstacle: LeadingObstacle) { present.remove(obstacle) }

    /// The operator's order begins to count, and ends by itself.
    mutating func beginOrder(at now: Int64) { orderEndsAt = now + LeadingLimits.refrain }

    /// Time has passed.
    mutating func tick(at now: Int64) { if now >= orderEndsAt { remove(.order) } }
}
