package import Model

/// A step of a commit that is kept for sessions which read the log up to an earlier position, see ``RecentCommits``.
///
/// - Confinement: any
package enum KeptStep: Sendable {
    case publication(FramedPublication)
    case change(SessionChange)

    /// The number of steps that it counts as among the recent commits: more where it takes much memory.
    package var cost: Int {
        switch self {
        case .publication(let framed): framed.cost
        case .change(.preferences(_, let stored, _)): 1 + (stored?.utf8.count ?? 0) / Limits.recentStepBytes
        case .change(.accessRules(let rules)): 1 + rules.utf8.count / Limits.recentStepBytes
        case .change(.online(let notice)): 1 + notice.payload.bytes / Limits.recentStepBytes
        case .change: 1
        }
    }
}
