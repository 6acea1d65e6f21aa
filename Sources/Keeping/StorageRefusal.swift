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

    /// The commit was not tried, since the one before it failed. That of an earlier try with the same key may stand.
    static func untried(_ fault: StorageFault) -> Refusal {
        Refusal(
            .unavailable, "\(fault.reason): no write is accepted now; repeat it with the same key",
            retryAfterMilliseconds: 1000)
    }
}
