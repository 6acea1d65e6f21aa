package import Model
import Services

/// A step of a commit as every loop gets it: the array of them is shared by all loops.
///
/// - Confinement: any
package enum LoopStep: Sendable {
    case run(PublicationRun)
    /// One that differs from reader to reader.
    case publication(FramedPublication)
    case change(SessionChange)
    case outcome(ConnectionAddress, Ticket, Outcome)
}

/// A step of a commit that others than who asked may read later, see `RecentCommits`.
///
/// - Confinement: any
package enum KeptStep: Sendable {
    case publication(FramedPublication)
    case change(SessionChange)

    /// As how many steps it counts among the recent commits: more where it takes much memory.
    package var cost: Int {
        switch self {
        case .publication(let framed): framed.cost
        case .change(.preferences(_, let stored, _)): 1 + (stored?.utf8.count ?? 0) / Limits.recentStepBytes
        case .change(.accessRules(let rules)): 1 + rules.utf8.count / Limits.recentStepBytes
        case .change: 1
        }
    }
}
