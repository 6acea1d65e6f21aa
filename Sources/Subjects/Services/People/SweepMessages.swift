import ClientProtocol
package import Execution
import Model
import Store

/// Deletes some of the messages that have been kept long enough, for everybody: number, place and time stay. The leading node
/// asks for it.
///
/// How far it has come is written in the same transaction. It goes through each chat up to the first message that stays, and
/// when it has gone through all of them, the next pass begins after a pause.
///
/// - Confinement: any
package struct SweepMessages: WriteUseCase {
    let keptMilliseconds: Int64

    package init(keptMilliseconds: Int64) { self.keptMilliseconds = keptMilliseconds }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        let time = context.now.adding(milliseconds: -keptMilliseconds)
        var sweep = try transaction.messages.sweep()
        var (deleted, left) = (0, RetentionLimits.messagesLookedAt)
        // A chat without messages costs as much as one.
        while deleted < RetentionLimits.messages, left > 0 {
            guard sweep.chat > 0 else {
                guard let first = try transaction.chats.number(after: 0) else {
                    try end(&sweep, in: context)
                    break
                }
                (sweep.chat, sweep.n) = (first, 0)
                continue
            }
            let limit = min(left, RetentionLimits.messages)
            let states = try transaction.messages.states(in: sweep.chat, after: sweep.n, limit: limit)
            var young: Timestamp?
            for state in states where young == nil {
                guard state.isDeleted || state.at <= time else {
                    young = state.at
                    continue
                }
                if !state.isDeleted {
                    try delete(state.n, in: sweep.chat, context)
                    deleted += 1
                }
                sweep.n = state.n
            }
            left -= max(1, states.count)
            guard young != nil || states.count < limit else { continue }
            if let young { sweep.least = min(sweep.least ?? young, young) }
            guard let next = try transaction.chats.number(after: sweep.chat) else {
                try end(&sweep, in: context)
                break
            }
            (sweep.chat, sweep.n) = (next, 0)
        }
        try transaction.messages.setSweep(sweep)
        return .deleted(rows: deleted, isMore: sweep.chat > 0)
    }

    /// The pass has come to its end.
    private func end(_ sweep: inout MessageSweep, in context: WriteContext) throws {
        (sweep.chat, sweep.n) = (0, 0)
        (sweep.oldest, sweep.ended, sweep.least) = (sweep.least, context.now, nil)
    }

    private func delete(_ n: MessageNumber, in chat: Int64, _ context: WriteContext) throws {
        guard let name = try context.transaction.chats.find(number: chat)?.name else { return }
        try MessageDeletion(MessageChange(byModeratorOf: n, in: name, context)).expire()
    }
}
