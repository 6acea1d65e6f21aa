package import Model
import Services

/// A step of a commit for the loops, which all share one array of them.
///
/// - Confinement: any
package enum LoopStep: Sendable {
    case run(PublicationRun)
    /// A publication whose bytes differ between readers.
    case publication(FramedPublication)
    case change(SessionChange)
    case outcome(ConnectionAddress, Ticket, Outcome)
}

/// A step of a commit that others than its author may read later, see `RecentCommits`.
///
/// - Confinement: any
package enum KeptStep: Sendable {
    case publication(FramedPublication)
    case change(SessionChange)

    /// Its share of the bound on recent commits, in steps; more for a step that takes much memory.
    package var cost: Int {
        switch self {
        case .publication(let framed): framed.cost
        case .change(.preferences(_, let stored, _)): 1 + (stored?.utf8.count ?? 0) / Limits.recentStepBytes
        case .change(.accessRules(let rules)): 1 + rules.utf8.count / Limits.recentStepBytes
        case .change: 1
        }
    }
}
