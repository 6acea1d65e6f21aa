import ClientProtocol
import Fanout
import Mail
import Model
import Services

// Replies and events of one connection come in the order of their positions. A live session gets both in the order of
// the commits. While it reads on from the log, its events come by pages; the outcome of a write then waits for the events
// before it. A page may also be ahead of the commits: it waits for them while the outcome of a write is awaited, so that
// no event overtakes a reply either.
extension Session {
    /// A write was committed, or refused: answers it when the events before it were sent.
    func answerWrite(_ id: RequestID?, _ outcome: Outcome) {
        let position = server.deliveredUpTo
        guard let identity, identity.cursor.mode != .live,
            position > identity.cursor.position || identity.heldAnswers?.isEmpty == false
        else { return finish(id, outcome, .write) }
        identity.holdAnswers().append(HeldAnswers.Answer(id: id, outcome: outcome, position: position))
    }

    /// Answers the writes that stand before an event.
    func answerWrites(before position: Position, _ identity: SessionIdentity) {
        guard let held = identity.heldAnswers, !held.isEmpty else { return }
        while !isClosing, let answer = held.takeFirst(before: position) { reply(answer.id, answer.outcome, .write) }
    }

    /// A page of the log was read: tells it, at once or when the loop has delivered as much.
    func readOn(_ reading: SessionReading) {
        guard case .ready(let identity) = state, identity.cursor.mode == .reading else { return }
        if queue.isAwaitingWrites, server.recent.head < reading.start.head {
            return server.heldPages.append((address, reading))
        }
        let writes = queue.count
        tell(reading, identity)
        guard queue.count != writes, !isClosing else { return }
        // What was answered makes room for what came behind it.
        runQueue()
        closeIfDrained()
    }

    /// Answers a `hello` that renewed the token, when the counts to be told with it are known.
    func answerRenewal(_ id: RequestID?, _ identity: SessionIdentity) {
        guard let id, let person = identity.person else { return }
        if identity.areCountsCurrent {
            answer(id) { helloBody(person.name, identity).write(to: &$0) }
        } else if !identity.holdAnswers().appendRenewal(id) {
            refuse(id, Refusal(.tooMany, "too many hellos wait for their answers", retryAfterMilliseconds: 1000))
        }
    }

    /// The counts are known now.
    func answerRenewals(_ identity: SessionIdentity) {
        guard let held = identity.heldAnswers else { return }
        for id in held.takeRenewals() { answerRenewal(id, identity) }
    }
}

extension SessionIdentity {
    /// Whether the counts that are known are those at the position up to which events were sent, or a later one.
    var areCountsCurrent: Bool { cursor.mode == .live && !counts.isRecountOwed }
}

extension LoopServer {
    /// Tells the pages for which the commit that was just delivered was missing.
    func tellHeldPages() {
        guard !heldPages.isEmpty else { return }
        let pages = heldPages
        heldPages = []
        for (address, reading) in pages { connection(at: address)?.withSession { $0.readOn(reading) } }
    }
}
