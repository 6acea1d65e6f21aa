import Client
import ClientProtocol
import JSON
import Model
import Session

/// The check at the end, when all is quiet: it asks for every user's lists and every chat's history, and compares them
/// with the ledger.
///
/// - Confinement: loop
final class Inspection {
    private unowned let run: ReplayRun
    private var outstanding = 0

    init(of run: ReplayRun) {
        self.run = run
    }

    /// Begins the check; the run is notified when everything is answered.
    func start() {
        outstanding = 1
        for bot in run.bots {
            inspectChats(of: bot)
            inspectNotifications(of: bot)
        }
        for chat in run.ledger.chats.indices { inspectHistory(of: chat, after: run.ledger.chats[chat].base, []) }
        answered()
    }

    private func inspectChats(of bot: ReplayBot) {
        outstanding += 1
        bot.collect("chats", page: { .chats(before: $0) }) { [self] entries, _ in
            for entry in entries { run.ledger.check(chatEntry: entry, user: bot.user) }
            let listed = Set(entries.compactMap { $0["chat"]?.stringValue })
            for chat in run.ledger.chats
            where chat.users.contains(bot.user) && !chat.writes.isEmpty && !listed.contains(chat.id.text) {
                run.ledger.findings.add(.wrongHistory, "\(chat.id) is not among the chats of \(bot.user)")
            }
            answered()
        }
    }

    private func inspectNotifications(of bot: ReplayBot) {
        outstanding += 1
        bot.collect("notifications", page: { .notifications(before: $0) }) { [self] entries, last in
            run.ledger.check(unseen: last["unread"]?.integerValue, user: bot.user)
            run.ledger.check(notificationIDs: entries.compactMap { $0["id"]?.stringValue }, user: bot.user)
            answered()
        }
    }

    private func inspectHistory(of chat: Int, after n: MessageNumber, _ before: [JSONValue]) {
        let entry = run.ledger.chats[chat]
        guard before.isEmpty ? !entry.writes.isEmpty : true else { return }
        if before.isEmpty { outstanding += 1 }
        run.bots[entry.users[0]].submit(.history(entry.id, after: n)) { [self] reply in
            switch reply {
            case .ok(let body):
                let page = body["messages"]?.arrayValue ?? []
                let messages = before + page
                if body["next"] != nil, let last = page.last?["n"]?.integerValue {
                    return inspectHistory(of: chat, after: last, messages)
                }
                run.ledger.check(history: messages, chat: chat)
            case .refused(let refusal):
                run.ledger.findings.add(.refused, "history of \(entry.id): \(refusal.message)")
            case .lost: break
            }
            answered()
        }
    }

    private func answered() {
        outstanding -= 1
        if outstanding == 0 { run.inspected() }
    }
}

@available(*, unavailable)
extension Inspection: Sendable {}
