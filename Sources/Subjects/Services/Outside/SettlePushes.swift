package import Execution
import Model
import Notifying
package import Push
import Store

/// Notes the results of the sender of pushes. The server itself asks for it. Repeating it changes nothing.
///
/// While pushes are under way, their notifications may be removed, seen or replaced, and their users banned. Such a push is
/// taken back here, or brought up to date.
///
/// - Confinement: any
package struct SettlePushes: WriteUseCase {
    let settlement: PushSettlement

    /// - Parameter settlement: has one progress at most for each job.
    package init(_ settlement: PushSettlement) { self.settlement = settlement }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        var void: Set<Int64> = []
        for progress in settlement.progress {
            if let job = try transaction.pushJobs.note(progress) {
                try goOn(with: job, after: progress, in: context)
            } else {
                void.insert(progress.job)
            }
        }
        var check = SentCheck(in: context)
        var noted: Set<Int64> = []
        for result in settlement.tries where !void.contains(result.job) {
            guard try transaction.pushJobs.note(result) else { continue }
            noted.insert(result.device)
            if result.outcome == .sent { try check.takeBackIfOver(result) }
        }
        for told in settlement.told where try transaction.pushGone.forget(told) { noted.insert(told.device) }
        let named = Set(settlement.tries.map(\.device)).union(settlement.told.map(\.device))
        for change in settlement.devices where noted.contains(change.device) || !named.contains(change.device) {
            try transaction.pushDevices.note(change)
        }
        return .none
    }

    /// - Parameter job: as it was before the progress.
    private func goOn(
        with job: PushJobEntry, after progress: PushSettlement.Progress, in context: WriteContext
    ) throws {
        let queue = PushQueue(in: context)
        switch job.kind {
        case .message:
            guard case .chat(let chat) = job.stream.kind, let judged = progress.judged else { return }
            try queue.add(messagesAfter: judged, in: chat)
        case .withdrawal:
            guard let previous = job.previous else { return }
            try context.transaction.pushGone.withdraw(progress.gone, of: previous, seq: job.position, at: context.now)
        case .notification, .digest, .quietUpdate:
            guard job.position != progress.position, progress.pushed > 0,
                let entry = try context.transaction.notifications.find(job.position)
            else { return }
            try queue.updateQuietly(job, to: entry)
        }
    }
}

/// Takes back pushes that were sent while they became wrong.
///
/// - Confinement: store (the writer's thread)
private struct SentCheck {
    private let context: WriteContext
    /// The jobs that were looked up, and the notifications that they are about; those that are removed are nil.
    private var known: [Int64: (job: PushJobEntry, entry: NotificationEntry?)] = [:]

    init(in context: WriteContext) { self.context = context }

    private var transaction: WriteTransaction { context.transaction }

    mutating func takeBackIfOver(_ result: PushSettlement.Try) throws {
        guard let (job, entry) = try lookUp(result.job), let device = try transaction.pushDevices.find(result.device)
        else { return }
        let isBanned = try transaction.restrictions.inForce(.ban, of: device.user, at: context.now) != nil
        if case .chat(let chat) = job.stream.kind {
            guard try isBanned || isRead(job, in: chat, by: device.user) else { return }
            return try transaction.pushGone.withdraw([device.id], of: job.id, chat: chat, at: context.now)
        }
        if !isBanned, let entry, let user = try transaction.users.find(device.user),
            try !transaction.notifications.isSeen(entry.position, by: user)
        {
            return
        }
        guard try entry != nil || isBanned || !isReplaced(job) else { return }
        try transaction.pushGone.withdraw([device.id], of: job.id, seq: job.position, at: context.now)
    }

    private func isRead(_ job: PushJobEntry, in chat: Int64, by user: StreamID) throws -> Bool {
        guard let member = try transaction.chats.member(user, of: chat), let judged = job.judged else { return false }
        return judged <= member.read
    }

    private mutating func lookUp(_ id: Int64) throws -> (job: PushJobEntry, entry: NotificationEntry?)? {
        if let found = known[id] { return found }
        guard let job = try transaction.pushJobs.job(id) else { return nil }
        let entry = job.chatFrom == nil ? try transaction.notifications.find(job.position) : nil
        known[id] = (job, entry)
        return (job, entry)
    }

    /// Whether a later notification with a push of its own takes the place of a removed one on the screen.
    private func isReplaced(_ job: PushJobEntry) throws -> Bool {
        guard let entry = try transaction.notifications.findWritten(at: job.position), let collapse = entry.collapse,
            let newer = try transaction.notifications.find(collapse: collapse, in: entry.stream)
        else { return false }
        return try transaction.pushJobs.jobs(about: newer.position).contains { $0.kind != .withdrawal }
    }
}
