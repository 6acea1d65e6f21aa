package import ClientProtocol
import JSON
import Model
package import Store

/// The server's rules: applies writes, in their order, to the state in the database.
///
/// Everything a write does, the rows its triggers add included, happens in the transaction that ``WriteTransaction``
/// stands for, in a savepoint of its own.
///
/// - Confinement: store
package final class StateMachine {
    private let engine: TriggerEngine
    private let collections: TopicCollections
    private let rules: RulesInForce
    private let watched = WatchedStreams()
    /// Whether the triggers in memory are those of the database.
    private var isKnown = true
    /// What ``takeBroken()`` has told of already.
    private var toldBroken: [String: String] = [:]

    /// - Parameters:
    ///   - triggerRows: the trigger table's rows as stored.
    ///   - rules: the configured ones, in force until others are put.
    ///   - tally: where what the triggers do is counted.
    /// - Throws: when conditions cannot be evaluated at all. A row that this version cannot compile is set aside.
    package init(
        triggerRows: [String],
        collections: TopicCollections,
        rules: AccessRules = AccessRules(),
        tally: TriggerTally = TriggerTally()
    ) throws {
        self.rules = RulesInForce(configured: rules)
        engine = try TriggerEngine(rows: triggerRows, tally: tally)
        self.collections = collections
    }

    /// Forgets what it remembers of the database, after a transaction that was undone and may have changed it. The next
    /// write reads it again, in its own transaction: nothing is applied by what is not known to be stored.
    package func forget() {
        watched.forget()
        engine.forget()
        isKnown = false
    }

    /// Forgets what the writes of a transaction that is undone have changed in memory; the rest stands. One refused
    /// command in each batch must not cost a reading of the whole trigger table.
    package func revert() {
        if engine.isUncommitted { forget() } else { watched.forget() }
    }

    /// The transaction of the writes that were applied is on the disk.
    package func committed() { engine.committed() }

    /// Takes the trigger table from the database again.
    package func reload(triggerRows: [String]) {
        watched.forget()
        engine.reload(rows: triggerRows)
        isKnown = true
    }

    /// The triggers that were set aside since this was asked last, by name, and why: for the server's log.
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
        do {
            return try applyOnce(request, in: transaction)
        } catch {
            watched.forget()
            engine.undoWrite()
            throw error
        }
    }

    private func applyOnce(_ request: WriteRequest, in transaction: WriteTransaction) throws -> EncodedAnswer {
        guard let key = request.useCase.key else {
            let (answer, data) = try perform(request, in: transaction)
            return data == nil ? answer : EncodedAnswer(KeptReply(withoutData: answer.body).with(data), answer.fact)
        }
        let (user, storedKey) = keyOwner(of: request.actor, key: key)
        var fingerprint = Fingerprint()
        request.useCase.addContent(to: &fingerprint)
        if let earlier = try transaction.keys.find(storedKey, of: user) {
            guard earlier.fingerprint == fingerprint.value else {
                throw Refusal(
                    .keyReused,
                    "this key was already used for a write with other content; every write needs a key of its own",
                    field: "key"
                )
            }
            return try request.useCase.answer(repeating: KeptReply(Array(earlier.reply.utf8)), in: transaction)
        }
        let (answer, data) = try perform(request, in: transaction)
        let kept = data == nil ? KeptReply(answer.body) : KeptReply(withoutData: answer.body)
        try transaction.keys.insert(
            storedKey,
            of: user,
            fingerprint: fingerprint.value,
            reply: kept.json,
            at: request.at
        )
        return data == nil ? answer : EncodedAnswer(kept.with(data), answer.fact)
    }

    /// Turns what ``apply(_:in:)`` threw into what the client is told.
    package static func refusal(for error: any Error) -> Refusal {
        if let refusal = error as? Refusal { return refusal }
        return Refusal(
            .internal, "the server failed on this command; its log says why; repeat it with the same key")
    }

    /// - Returns: the answer as it is kept with the key, and the data that stand in it besides.
    private func perform(
        _ request: WriteRequest,
        in transaction: WriteTransaction
    ) throws -> (answer: EncodedAnswer, data: [UInt8]?) {
        let context = WriteContext(
            transaction: transaction,
            actor: request.actor,
            now: request.at,
            engine: engine,
            collections: collections,
            rules: rules,
            watched: watched
        )
        engine.beginWrite()
        let performed = try request.useCase.encodedAnswer(in: context)
        try context.noteCounts()
        return performed
    }

    /// Keys are unique per user. Those of administrators are kept apart under no user's number, by subject.
    private func keyOwner(of actor: Actor, key: WriteKey) -> (StreamID, String) {
        switch actor {
        case .user(let id, _, _): (id, key.text)
        case .administrator(let subject): (StreamID(0), subject.text + " " + key.text)
        case .server: (StreamID(0), " " + key.text)
        }
    }
}

@available(*, unavailable)
extension StateMachine: Sendable {}
