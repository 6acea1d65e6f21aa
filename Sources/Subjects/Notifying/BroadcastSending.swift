import ClientProtocol
import Execution
import Model
import Store
import Triggers

/// Sends what is due of a broadcast, in the transaction that also says when the next of it is due. So nothing is sent twice
/// or left out, whatever happens to the process.
///
/// - Confinement: store (the writer's thread)
struct BroadcastSending {
    let context: WriteContext

    init(in context: WriteContext) { self.context = context }

    var transaction: WriteTransaction { context.transaction }

    /// Sends the due broadcasts.
    ///
    /// - Returns: whether more may be due.
    func sendDue(_ notifier: inout Notifier) throws -> Bool {
        let due = try transaction.broadcasts.due(at: context.now, limit: BroadcastLimits.dueBatch)
        var isMore = due.count == BroadcastLimits.dueBatch
        for broadcast in due {
            do {
                try transaction.savepoint {
                    if broadcast.isCancelled {
                        isMore = try !takeBackSlice(broadcast) || isMore
                    } else if let order = try BroadcastOrder(broadcast) {
                        isMore = try !send(broadcast, order, &notifier) || isMore
                    }
                }
            } catch let problem as StoredValueProblem {
                // The stream of a new topic is undone, too.
                notifier.forgetStreams()
                try setAside(broadcast, problem)
            }
            if context.engine.meter.isSpent { return true }
        }
        return isMore
    }

    /// Sends what is due of one.
    ///
    /// - Returns: false when more of it is due now: people with rows of their own get it slice by slice.
    @discardableResult
    func send(_ broadcast: BroadcastEntry, _ order: BroadcastOrder, _ notifier: inout Notifier) throws -> Bool {
        context.engine.meter.charge(TriggerLimits.rowWork)
        var turn: ZoneTurn?
        if case .recipients(let wall)? = order.time {
            turn = try ZoneTurn(showing: wall, after: broadcast.sent, at: context.now, in: transaction.reading)
        }
        var sent = broadcast.sent
        var next = turn?.next
        var positions = broadcast.earlier + (broadcast.sent == nil ? [] : [broadcast.position])
        var size = broadcast.size
        var isWhole = true
        if let expires = order.expires, expires <= context.now {
            next = nil
        } else if let scope = order.audience.scope {
            let slice = try send(broadcast, order, to: scope, turn, &notifier)
            (positions, size, isWhole) = (slice.positions, slice.size, slice.isWhole)
            if slice.isTurn { sent = context.now } else if next == nil { sent = sent ?? context.now }
            if !isWhole { next = context.now }
        } else if turn?.isNobodys != true {
            if order.audience == .online {
                try tell(broadcast.id, order)
            } else {
                size = try order.audience.size(in: transaction.reading, at: context.now)
                var draft = order.draft(broadcast.id)
                draft.zones = turn?.zones ?? []
                if let audience = order.audience.audience, try notifier.notify(audience, draft) > 0 {
                    positions.append(transaction.head)
                }
            }
            sent = context.now
        } else if next == nil {
            // Nobody is left whose clock has not shown the time.
            sent = sent ?? context.now
        }
        try transaction.broadcasts.note(broadcast.id, positions: positions, size: size, sent: sent, due: next)
        return isWhole
    }

    /// Gives a broadcast to everybody who is online when this is committed.
    private func tell(_ id: Int64, _ order: BroadcastOrder) throws {
        let entry = NotificationEntry(
            position: .zero, stream: .everyone, topic: order.audience.text, kind: order.kind,
            level: order.level, texts: order.texts.json, data: order.data, at: context.now, expires: order.expires,
            collapse: order.collapse)
        let facts = try NotificationFacts(entry, isPersonal: false, in: transaction.reading)
        let payload = DeliveredNotification(entry, texts: order.texts).payload(onlineAs: Self.onlineID(of: id))
        transaction.note(.online(OnlineNotice(.notification, payload, broadcast: id, facts: facts)))
    }

    /// Takes a broadcast to those who were online from the screens of those who are.
    func takeBackOnline(_ id: Int64) {
        let event = Event.onlineRemoved(id: Self.onlineID(of: id), reason: .retracted)
        transaction.note(.online(OnlineNotice(event.name, .same(event.json), broadcast: id)))
    }

    /// The id of a notification that is in no log.
    private static func onlineID(of broadcast: Int64) -> String { "b\(broadcast)" }

    /// Lists one that cannot be read among the dead letters, so that it does not stop the ones after it for ever.
    private func setAside(_ broadcast: BroadcastEntry, _ problem: StoredValueProblem) throws {
        try transaction.broadcasts.cancel(broadcast.id, at: context.now)
        try transaction.triggers.insertDead(
            trigger: NotificationFacts.broadcastKind, path: "broadcasts/\(broadcast.id)", change: transaction.head,
            reason: problem.description, at: context.now)
    }
}

extension BroadcastOrder {
    func draft(_ id: Int64) -> NotificationDraft {
        NotificationDraft(
            kind: kind, level: level, texts: texts, data: data, expires: expires,
            collapse: collapse, broadcast: id)
    }
}
