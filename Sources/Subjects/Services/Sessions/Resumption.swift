package import ClientProtocol
package import Model
package import Store

/// The answer to `hello` with `since`: the first page of the missed events, or the reason why there is none.
///
/// - Confinement: store (a reader's thread)
package enum Resumption: Sendable {
    case page(LogPage)
    case reset(Event.ResetReason)

    /// - Parameters:
    ///   - point: the last position of the device, from its `hello`.
    ///   - head: the head of the log in this snapshot, if it was read already.
    package init(
        of user: UserEntry,
        since point: ResumePoint,
        epoch: Epoch,
        deviceLanguage: LanguageTag?,
        head: Position? = nil,
        in transaction: Transaction
    ) throws {
        let head = try head ?? transaction.log.head()
        guard point.epoch == epoch, point.seq <= head else {
            self = .reset(.epoch)
            return
        }
        // Each would be one more source to merge: a user who has ended too many follows, or left too many rooms, reads everything again instead.
        let endedMax = Limits.resumeEndedFollowsMax
        let ended =
            try transaction.follows.endedCount(of: user.id, after: point.seq, limit: endedMax + 1)
            + transaction.rooms.endedCount(of: user.id, after: point.seq, limit: endedMax + 1)
        guard ended <= endedMax else {
            self = .reset(.tooFar)
            return
        }
        do {
            let page = try LogPage(
                of: user,
                after: point.seq,
                deviceLanguage: deviceLanguage,
                limit: Limits.resumePageEvents,
                head: head,
                in: transaction
            )
            let isTooFar =
                try page.hasMore && transaction.log.isMore(than: Limits.resumeEventsMax, of: user, after: point.seq)
            self = isTooFar ? .reset(.tooFar) : .page(page)
        } catch is LogPage.Trimmed {
            self = .reset(.retention)
        }
    }
}
