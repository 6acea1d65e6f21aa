/// The part of a node in the cluster.
///
/// - Confinement: any
package enum LeadershipRole: Sendable, Hashable {
    case following, standing, leading, stopped
}

/// Where a node is on its way to leading and back, with what it has under way.
///
/// - Confinement: any
enum LeadershipStage: Sendable, Hashable {
    case following
    /// The entry `lead` is under way.
    case standing(PublishUnderWay)
    /// Nil: nothing is under way.
    case leading(PublishUnderWay?)
    case stopped(LeadershipStop)

    /// The stage of a node that has something under way.
    init(_ publish: PublishUnderWay) { self = publish.isPartOfTransaction ? .leading(publish) : .standing(publish) }

    var role: LeadershipRole {
        switch self {
        case .following: .following
        case .standing: .standing
        case .leading: .leading
        case .stopped: .stopped
        }
    }

    /// The publication under way: an entry `lead`, or a part of a transaction.
    var underWay: PublishUnderWay? {
        switch self {
        case .standing(let publish), .leading(let publish?): publish
        case .following, .leading(nil), .stopped: nil
        }
    }

    /// Whether a transaction is open, which must be rolled back when the node leads no more.
    var hasTransaction: Bool { if case .leading(.some) = self { true } else { false } }
}
