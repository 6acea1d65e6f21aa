import ClientProtocol
package import Execution
import Model
import Store

/// Takes away the oldest notifications that have been kept long enough, from everybody. The leading node asks for it.
///
/// Their rows go with the log, as those of all that were taken away.
///
/// - Confinement: any
package struct SweepNotifications: WriteUseCase {
    let keptMilliseconds: Int64

    package init(keptMilliseconds: Int64) { self.keptMilliseconds = keptMilliseconds }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let notifications = context.transaction.notifications
        let time = context.now.adding(milliseconds: -keptMilliseconds)
        let old = try notifications.oldest(limit: RetentionLimits.notifications).prefix { $0.at <= time }
        for entry in old { try NotificationRemoval(in: context).remove(entry, reason: .expired) }
        if let last = old.last { try notifications.setSwept(last.position) }
        return .deleted(rows: old.count, isMore: old.count == RetentionLimits.notifications)
    }
}
