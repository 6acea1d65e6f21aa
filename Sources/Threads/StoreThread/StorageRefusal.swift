import ClientProtocol
import Store

/// The refusals of writes that are not committed; each asks the client to repeat the write.
///
/// - Confinement: any
enum StorageRefusal {
    /// The commit failed. Whether it is stored is not known: the disk may have it in spite of its answer.
    static func failed(_ fault: StorageFault) -> Refusal {
        Refusal(
            .unavailable, "\(fault.reason): it is not known whether the write was done; repeat it with the same key",
            retryAfterMilliseconds: 1000)
    }

    /// Another node leads, and this write is no client's: its thread works for all nodes, and has just lost that duty.
    static var elsewhere: Refusal {
        Refusal(.unavailable, "another node leads now: repeat it with the same key", retryAfterMilliseconds: 1000)
    }

    /// The node that leads has not answered, or there is none.
    static func unanswered(seconds: Int64) -> Refusal {
        Refusal(
            .unavailable,
            "no leading node has answered for \(seconds) s: it is not known whether the write was done; "
                + "repeat it with the same key",
            retryAfterMilliseconds: 1000)
    }

    /// The writes of a commit cannot be one entry of the journal.
    static var notAnEntry: Refusal {
        Refusal(
            .unavailable, "the write cannot be given to the other nodes; repeat it with the same key",
            retryAfterMilliseconds: 1000)
    }

    /// The commit was not tried, since the one before it failed. That of an earlier try with the same key may stand.
    static func untried(_ fault: StorageFault) -> Refusal {
        Refusal(
            .unavailable, "\(fault.reason): no write is accepted now; repeat it with the same key",
            retryAfterMilliseconds: 1000)
    }
}
