import Journal
import Model
import ThreadMessages

/// The transaction for which the writer waits, and the time since its thread has done so.
///
/// - Confinement: any
struct OpenOrder {
    let wait: CommitWait
    /// The newest position after the transaction, if the entry says it.
    let head: Int64?

    init(_ parts: [EncodedEntry], _ wait: CommitWait) {
        self.wait = wait
        head = parts.first?.head?.value
    }
}

extension LeadershipAction {
    /// The outcome that the end of leading gives to the transaction that was rolled back right before it.
    var outcomeOfRollBack: CommitWait.Outcome? {
        switch self {
        case .follow(.fenced): .fenced
        case .follow, .stop: .unknown
        default: nil
        }
    }
}
