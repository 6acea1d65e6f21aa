package import ClientProtocol
import JSON
import Model
package import Store

/// Applies writes, in their order, to the state in the database.
///
/// All effects of a write, also the rows of its triggers, happen in the transaction of the batch, in a savepoint of its
/// own.
///
/// - Confinement: store
package final class StateMachine {
    private let engine: TriggerEngine
    private let collections: TopicCollections
    private let rules: RulesInForce
    private let watched = WatchedStreams()
    private let restraint: Restraint
    private let pushesMessages: Bool
    private let editMilliseconds: Int64
    /// Whether the triggers in memory are those of the database.
    private var isKnown = true
    /// The triggers that ``takeBroken()`` has returned already.
    private var toldBroken: [String: String] = [:]

    /// - Parameters:
    ///   - triggerRows: the trigger table's rows as stored.
    ///   - rules: the configured rules, in force until others are put.
    ///   - tally: counts what the triggers do.
    ///   - pushesMessages: whether chat messages are pushed; notifications always are.
    ///   - editMilliseconds: how long its author may edit a message.
    ///   - limits: how often a person may do things.
    /// - Throws: when conditions cannot be evaluated at all. A row that this version cannot compile is stopped.
    package init(
        triggerRows: [String],
        collections: TopicCollections,
        rules: AccessRules = AccessRules(),
        tally: TriggerTally = TriggerTally(),
        pushesMessages: Bool = true,
        editMilliseconds: Int64 = Limits.editMilliseconds,
        limits: PersonLimits = .none
    ) throws {
        restraint = Restraint(limits)
        self.pushesMessages = pushesMessages
        self.editMilliseconds = editMilliseconds
        self.rules = RulesInForce(configured: rules)
        engine = try TriggerEngine(rows: triggerRows, tally: tally)
        self.collections = collections
    }

    /// Forgets what it remembers of the database, after a rollback that may have undone it. The next write reads it
    /// again in its own transaction, so writes are applied only by rules that are stored.
    package func forget() {
        watched.forget()
        restraint.undoAll()
        engine.forget()
        isKnown = false
    }

    /// Forgets what the writes of an undone transaction have changed in memory, and keeps the rest. One refused command
    /// in each batch must not cost a reading of the whole trigger table.
    package func revert() {
        restraint.undoAll()
        if engine.isUncommitted { forget() } else { watched.forget() }
    }

    /// Notes that the applied writes are committed.
    package func committed() {
        engine.committed()
        restraint.committed()
    }

    /// Replaces the trigger table by the rows of the database.
    package func reload(triggerRows: [String]) {
        watched.forget()
        engine.reload(rows: triggerRows)
        isKnown = true
    }

    /// The triggers that were stopped since the last call, by name, and why: for the server's log.
    package func takeBroken() -> [(name: String, reason: String)] {
        guard isKnown, toldBroken != engine.broken else { return [] }
        let fresh = engine.broken.filter { toldBroken[$0.key] != $0.value }
        toldBroken = engine.broken
        return fresh.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Applies one write.
    ///
    /// - Throws: `Refusal`, or the database's error; the caller's savepoint undoes what was written.
    package func apply(_ request: WriteRequest, in transaction: WriteTransaction) throws -> EncodedAnswer {
        if !isKnown { reload(triggerRows: try transaction.triggers.all()) }
        restraint.beginWrite()
        do {
            return try applyOnce(request, in: transaction)
        } catch {
            watched.forget()
            restraint.undoWrite()
            engine.undoWrite()
            throw error
        }
    }

    private func applyOnce(_ request: WriteRequest, in transaction: WriteTransaction) throws -> EncodedAnswer {
        // A write that waited while its author was erased.
        if case .user(let id, _, _) = request.actor, try transaction.erasures.isErased(id) { throw ErasedNames.refusal }
        guard let key = request.useCase.key else {
            let (answer, data) = try perform(request, in: transaction)
            try note(request, .done, in: transaction)
            return data == nil ? answer : EncodedAnswer(KeptReply(withoutData: answer.body).with(data), answer.fact)
        }
        let (user, storedKey) = keyOwner(of: request.actor, key: key)
        var fingerprint = Fingerprint()
        request.useCase.addContent(to: &fingerprint)
        let earlier = try transaction.keys.find(storedKey, of: user)
        if let earlier, earlier.fingerprint != fingerprint.value {
            // Another write may take the key of one that was refused; a late copy of that one is not done then, either.
            guard earlier.isRefused else { throw Refusal.keyReused }
        } else if let earlier {
            if earlier.isRefused {
                let kept = try Refusal(kept: earlier.reply)
                throw try request.useCase.refusal(repeating: kept, in: beginWrite(request, in: transaction))
            }
            let answer = try request.useCase.answer(repeating: KeptReply(Array(earlier.reply.utf8)), in: transaction)
            try note(request, .repeated, in: transaction)
            return answer
        }
        let (answer, data) = try perform(request, in: transaction)
        try note(request, .done, in: transaction)
        let kept = data == nil ? KeptReply(answer.body) : KeptReply(withoutData: answer.body)
        if earlier != nil { try transaction.keys.delete(storedKey, of: user) }
        try transaction.keys.insert(
            storedKey,
            of: user,
            fingerprint: fingerprint.value,
            reply: kept.json,
            at: request.at
        )
        return data == nil ? answer : EncodedAnswer(kept.with(data), answer.fact)
    }

    /// Puts an administrator's request into the audit.
    private func note(_ request: WriteRequest, _ outcome: AuditOutcome, in transaction: WriteTransaction) throws {
        if let audit = request.audit { try transaction.noteInAudit(audit, at: request.at, outcome) }
    }

    /// Turns an error of ``apply(_:in:)`` into the refusal for the client.
    package static func refusal(for error: any Error) -> Refusal {
        if let refusal = error as? Refusal { return refusal }
        return Refusal(
            .internal, "the server failed on this command; its log says why; repeat it with the same key")
    }

    /// - Returns: the answer as it is kept with the key, and the data that belong to it besides.
    private func perform(
        _ request: WriteRequest,
        in transaction: WriteTransaction
    ) throws -> (answer: EncodedAnswer, data: [UInt8]?) {
        let context = beginWrite(request, in: transaction)
        let performed = try request.useCase.encodedAnswer(in: context)
        try context.noteCounts()
        return performed
    }

    private func beginWrite(_ request: WriteRequest, in transaction: WriteTransaction) -> WriteContext {
        engine.beginWrite()
        return WriteContext(
            transaction: transaction,
            actor: request.actor,
            now: request.at,
            engine: engine,
            collections: collections,
            rules: rules,
            watched: watched,
            restraint: restraint,
            pushesMessages: pushesMessages,
            editMilliseconds: editMilliseconds
        )
    }

    /// The user and the text under which a key is stored. Keys of administrators are stored under number 0, with the
    /// subject.
    func keyOwner(of actor: Actor, key: WriteKey) -> (StreamID, String) {
        switch actor {
        case .user(let id, _, _): (id, key.text)
        case .administrator(let subject): (.nobody, subject.text + " " + key.text)
        case .server: (.nobody, " " + key.text)
        }
    }
}

@available(*, unavailable)
extension StateMachine: Sendable {}
