import ClientProtocol
import DequeModule
import JSON

/// Commands that wait to be sent, or wait for their replies, in their order.
/// - Confinement: any
struct CommandQueue: Sendable {
    private struct Entry: Sendable {
        var command: ClientCommand
        var isInFlight = false
        /// Whether nobody waits for its end any more.
        var isAbandoned = false
    }

    private var entries: [Int64: Entry] = [:]
    /// Ids of unsent commands, ascending.
    private var waiting: Deque<Int64> = []
    /// The number of sent commands without a reply.
    private var inFlightCount = 0

    /// When commands may be sent again; nil when nothing keeps them back.
    private var pausedUntil: Int64?

    /// The number of commands without a reply, sent or not.
    var count: Int { entries.count }
    /// When waiting commands go on after a pause; nil without them, or without a pause.
    var resumesAt: Int64? { waiting.isEmpty ? nil : pausedUntil }

    /// Adds a command; ids ascend.
    mutating func append(_ command: ClientCommand, id: Int64) {
        entries[id] = Entry(command: command)
        waiting.append(id)
    }

    /// The next command to send, as far as the window and a pause allow; it counts as sent from now on.
    mutating func next(at now: Int64, inFlightMax: Int) -> (id: Int64, command: ClientCommand)? {
        if let pausedUntil {
            guard now >= pausedUntil else { return nil }
            self.pausedUntil = nil
        }
        guard inFlightCount < inFlightMax else { return nil }
        while let id = waiting.popFirst() {
            guard var entry = entries[id] else { continue }
            entry.isInFlight = true
            inFlightCount += 1
            entries[id] = entry
            return (id, entry.command)
        }
        return nil
    }

    /// The end of a pause: there is a new token.
    mutating func resume() { pausedUntil = nil }

    /// The effects of the answer to a command.
    struct Answered: Sendable {
        /// Nil when the command is sent again.
        var reply: ClientReply?
        /// Whether somebody waits for the answer.
        var isHeard = false
        /// Whether a new token may help.
        var needsToken = false
    }

    /// Takes the answer to a sent command. One that must be answered goes back to its place after a refusal for now, and
    /// nothing is sent for a while: later commands would be refused, too, and would overtake those that wait.
    ///
    /// - Parameter isTokenAsked: One token is asked for, for all commands that wait for it.
    /// - Returns: nil when no such command is under way.
    mutating func take(
        _ result: Result<JSONValue, Refusal>, of id: Int64, isTokenAsked: Bool, _ retrying: inout Retrying,
        at now: Int64
    ) -> Answered? {
        guard let entry = entries[id], entry.isInFlight else { return nil }
        let refusal: Refusal
        switch result {
        case .success(let body):
            retrying.commandSucceeded()
            return Answered(reply: .ok(body), isHeard: remove(id))
        case .failure(let failure): refusal = failure
        }
        let isAuth = refusal.code.errorClass == .auth
        let needsToken = isAuth && (isTokenAsked || retrying.isAnotherTokenWorthTrying())
        let isFinal =
            refusal.code.errorClass == .permanent || entry.command.persistence == .once || isAuth && !needsToken
        guard isFinal else {
            putBack(id)
            pausedUntil = max(pausedUntil ?? now, now + retrying.delay(after: refusal))
            return Answered(needsToken: needsToken)
        }
        return Answered(reply: .refused(refusal), isHeard: remove(id), needsToken: needsToken)
    }

    private mutating func remove(_ id: Int64) -> Bool {
        guard let entry = entries.removeValue(forKey: id) else { return false }
        if entry.isInFlight { inFlightCount -= 1 }
        return !entry.isAbandoned
    }

    /// A command that was not sent goes. One that was sent waits for its answer on this connection only, and nobody hears it.
    mutating func abandon(_ id: Int64) {
        guard let entry = entries[id] else { return }
        guard entry.isInFlight else {
            entries[id] = nil
            return
        }
        entries[id]?.command.persistence = .once
        entries[id]?.isAbandoned = true
    }

    private mutating func putBack(_ id: Int64) {
        guard entries[id]?.isInFlight == true else { return }
        entries[id]?.isInFlight = false
        inFlightCount -= 1
        waiting.insert(id, at: waiting.firstIndex { $0 > id } ?? waiting.endIndex)
    }

    /// The connection is lost: sent commands are sent again, or given up.
    /// - Returns: the commands given up whose end somebody waits for, in order.
    mutating func connectionLost() -> [Int64] {
        let lost = entries.filter { $0.value.isInFlight && $0.value.command.persistence == .once }
        for id in lost.keys { entries[id] = nil }
        for id in entries.keys { entries[id]?.isInFlight = false }
        inFlightCount = 0
        pausedUntil = nil
        waiting = Deque(entries.keys.sorted())
        return Self.heard(lost)
    }

    /// Empties it.
    /// - Returns: the commands whose end somebody waits for, in order.
    mutating func removeAll() -> [Int64] {
        let all = entries
        self = CommandQueue()
        return Self.heard(all)
    }

    private static func heard(_ entries: [Int64: Entry]) -> [Int64] {
        entries.filter { !$0.value.isAbandoned }.keys.sorted()
    }
}
