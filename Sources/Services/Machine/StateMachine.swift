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
    /// - Returns: the members of the reply's `ok` object, as a JSON object.
    /// - Throws: `Refusal`, or the database's error; the caller's savepoint undoes what was written.
    package func apply(_ request: WriteRequest, in transaction: WriteTransaction) throws -> [UInt8] {
        if !isKnown { reload(triggerRows: try transaction.triggers.all()) }
        do {
            return try applyOnce(request, in: transaction)
        } catch {
            watched.forget()
            engine.undoWrite()
            throw error
        }
    }

    private func applyOnce(_ request: WriteRequest, in transaction: WriteTransaction) throws -> [UInt8] {
        guard let key = request.useCase.key else {
            let (reply, data) = try performWithData(request, in: transaction)
            return data == nil ? reply : KeptReply(withoutData: reply).with(data)
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
            let kept = KeptReply(Array(earlier.reply.utf8))
            guard kept.isWithoutData else { return kept.json }
            return kept.with(try request.useCase.dataLeft(by: kept, in: transaction))
        }
        let (reply, data) = try performWithData(request, in: transaction)
        let kept = data == nil ? KeptReply(reply) : KeptReply(withoutData: reply)
        try transaction.keys.insert(
            storedKey,
            of: user,
            fingerprint: fingerprint.value,
            reply: kept.json,
            at: request.at
        )
        return data == nil ? reply : kept.with(data)
    }

    /// Turns what ``apply(_:in:)`` threw into what the client is told.
    package static func refusal(for error: any Error) -> Refusal {
        if let refusal = error as? Refusal { return refusal }
        return Refusal(
            .internal, "the server failed on this command; its log says why; repeat it with the same key")
    }

    /// - Returns: the reply that is kept with the key, and the data that stand in the answer besides.
    private func performWithData(
        _ request: WriteRequest,
        in transaction: WriteTransaction
    ) throws -> (reply: [UInt8], data: [UInt8]?) {
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
        var reply = JSONWriter()
        reply.beginObject()
        try request.useCase.perform(in: context, reply: &reply)
        reply.endObject()
        try context.noteCounts()
        return (reply.fittedBytes, context.dataBesideReply)
    }

    /// Keys are unique per user. Those of administrators are kept apart under no user's number, by subject.
    private func keyOwner(of actor: Actor, key: WriteKey) -> (StreamID, String) {
        switch actor {
        case .user(let id, _, _): (id, key.text)
        case .administrator(let subject): (.nobody, subject.text + " " + key.text)
        case .server: (.nobody, " " + key.text)
        }
    }
}

@available(*, unavailable)
extension StateMachine: Sendable {}
