package import ClientProtocol
package import Model
package import Store

/// What `hello` with `since` begins with: the first page of what was missed, or why it cannot be had.
///
/// - Confinement: store (a reader's thread)
package enum Resumption: Sendable {
    case page(LogPage)
    case reset(Event.ResetReason)

    /// - Parameters:
    ///   - point: where the device stopped, as its `hello` said.
    ///   - head: of the log in this snapshot, where that was read already.
    package init(
        of user: UserEntry,
        since point: Command.ResumePoint,
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
        // Each would be a source of its own to merge: who follows and unfollows without end starts anew instead.
        let endedMax = Limits.resumeEndedFollowsMax
        guard try transaction.follows.endedCount(of: user.id, after: point.seq, limit: endedMax + 1) <= endedMax else {
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
