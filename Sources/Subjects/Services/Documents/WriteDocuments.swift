package import ClientProtocol
package import Execution
package import JSON
package import Model
package import Store
import TriggerExecution
import Triggers

/// `PUT`, `PATCH` and `DELETE` of documents, one or many in one commit, with the triggers they fire.
///
/// - Confinement: any
package struct WriteDocuments: WriteUseCase {
    let writes: [DocumentWrite]
    /// Whether the answer is a list, for a batch.
    let isBatch: Bool
    package let key: WriteKey?
    /// The triggers through which it came about, if the receiver of a webhook writes back.
    package var chain = TriggerChain.none
    /// Whether the documents were there before anybody asked for them: then triggers schedule, and notify of nothing.
    var isBackfill = false

    package init(_ write: DocumentWrite, key: WriteKey?) {
        writes = [write]
        isBatch = false
        self.key = key
    }

    package init(batch writes: [DocumentWrite], key: WriteKey?) {
        self.writes = writes
        isBatch = true
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        for write in writes { write.addContent(to: &fingerprint) }
    }

    package func perform(in context: WriteContext) throws -> Answer {
        if case .user = context.actor { return try performCommand(in: context) }
        var firing = TriggerFiring(
            in: context, chain: chain, isBackfill: isBackfill, unmetReportsMax: TriggerLimits.unmetReportsMax)
        if !isBatch { return .document(try perform(writes[0], in: context, &firing)) }
        var results: [Result] = []
        results.reserveCapacity(writes.count)
        for (index, write) in writes.enumerated() {
            do {
                results.append(try perform(write, in: context, &firing))
            } catch var refusal as Refusal {
                refusal.field = "writes[\(index)]" + (refusal.field.map { ".\($0)" } ?? "")
                throw refusal
            }
            try checkWork(after: index + 1, in: context)
        }
        return .batch(results)
    }

    /// - Throws: `Refusal` when the first writes of a batch have caused all the work that one request may: the rest would
    ///   hold up everybody. Writes of the server itself, and requests that cannot be sent in parts, go on with the small
    ///   budget that ``WorkMeter`` leaves to each evaluation.
    private func checkWork(after done: Int, in context: WriteContext) throws(Refusal) {
        let meter = context.engine.meter
        guard meter.isSpentWell, done < writes.count, case .administrator = context.actor else { return }
        let dearest = meter.dearest.map { ", most of it by the trigger \($0.trigger)" } ?? ""
        throw Refusal(
            .tooLarge,
            "the first \(done) of \(writes.count) writes used up the work that one request may cause\(dearest): "
                + "send at most \(done) at a time",
            field: "writes"
        )
    }

    /// The same for a user: by the access rules, and without reports of the triggers, which are for operators.
    private func performCommand(in context: WriteContext) throws -> Answer {
        let (_, name) = try context.user()
        var firing = TriggerFiring(in: context, chain: chain, isBackfill: isBackfill)
        let write = writes[0]
        if !write.path.isOwn(by: name) { try context.reachOthers() }
        let condition = try context.documentRights.checkWrite(of: write.path, by: name, roles: context.roles)
        var result = try perform(write, condition, in: context, &firing)
        // The user who sends a patch cannot know its result. All other results are known.
        if case .patch = write.operation {} else { result.data = nil }
        return .command(result)
    }

    package func answer(repeating kept: KeptReply, in transaction: WriteTransaction) throws -> EncodedAnswer {
        guard !isBatch, let place = kept.place else {
            return EncodedAnswer(kept.isWithoutData ? kept.with(nil) : kept.json)
        }
        let body = kept.isWithoutData ? kept.with(try data(at: place, in: transaction)) : kept.json
        return EncodedAnswer(body, .version(place.version))
    }

    /// A conflict shows the present document, not the one of then, to a user who may still see it; that of a batch shows none.
    package func refusal(repeating kept: Refusal, in context: WriteContext) throws -> Refusal {
        guard kept.code == .conflict, !isBatch, let write = writes.first,
            context.collections.follow(at: write.path) == nil
        else { return kept }
        let existing = try context.transaction.documents.find(write.path).flatMap(Self.existing)
        if case .user(_, let name, _) = context.actor {
            let condition = try context.documentRights.checkWrite(of: write.path, by: name, roles: context.roles)
            try condition?.check(before: try Self.data(of: existing))
        }
        return Self.conflict(with: existing)
    }

    /// The document that stands at a path; nil where it was deleted.
    private static func existing(_ stored: DocumentEntry) -> DocumentEntry? { stored.body == nil ? nil : stored }

    private static func data(of existing: DocumentEntry?) throws -> JSONValue? {
        try existing?.body.map { JSONValue.object(try StoredJSON.object($0, place: "documents.body")) }
    }

    /// The document as the write left it, if that is still the current version, or the history has it.
    private func data(at place: KeptReply.Place, in transaction: WriteTransaction) throws -> [UInt8]? {
        let body: String?
        if let standing = try transaction.documents.find(writes[0].path), standing.version == place.version {
            body = standing.body
        } else {
            body = try transaction.history.find(place.position)?.after
        }
        return body.map { Array($0.utf8) }
    }

    /// The answer: the document as it is now, or `documents` for a batch.
    package enum Answer: UseCaseAnswer {
        /// The write of an administrator.
        case document(Result)
        /// The writes of a batch.
        case batch([Result])
        /// The write of a user.
        case command(Result)

        package func write(to reply: inout JSONWriter) {
            switch self {
            case .document(let result): result.write(to: &reply)
            case .batch(let results):
                reply.array("documents") { reply in
                    for result in results {
                        reply.beginObject()
                        result.write(to: &reply)
                        reply.endObject()
                    }
                }
            case .command(let result):
                result.writePlace(to: &reply)
                result.writeWarnings(to: &reply)
            }
        }

        package var unkeptData: [UInt8]? {
            if case .command(let result) = self { result.data } else { nil }
        }

        package var fact: AnswerFact {
            switch self {
            case .document(let result), .command(let result): .version(result.version)
            case .batch: .none
            }
        }
    }

    /// The result of one write.
    package struct Result: Sendable {
        let path: DocumentPath
        let version: Int64
        let position: Position
        let reports: TriggerReports
        /// The new JSON of the document, if it has changed.
        var data: [UInt8]?
        /// The followed topic, if the document is a follow.
        var topic: Topic?
        /// Something that the administrator may not have meant.
        var warning: String?

        func writePlace(to reply: inout JSONWriter) {
            reply.member("path", path.text)
            reply.member("version", version)
            reply.member("seq", position.value)
            if let topic { reply.member("topic", topic.text) }
        }

        /// This is all that a user learns of the triggers: something in the document keeps them from notifying as they should.
        func writeWarnings(to reply: inout JSONWriter) {
            writeWarnings(reports.warnings, to: &reply)
        }

        private func writeWarnings(_ warnings: [String], to reply: inout JSONWriter) {
            if !warnings.isEmpty { reply.member("warnings", .array(warnings.map { .string($0) })) }
        }

        func write(to reply: inout JSONWriter) {
            writePlace(to: &reply)
            reports.write(to: &reply)
            writeWarnings([warning].compactMap { $0 } + reports.warnings, to: &reply)
        }
    }

    /// Writes the one document without asking the rules: the server does so by itself, in the command of any user.
    ///
    /// - Returns: the position of the write.
    func record(in context: WriteContext, _ firing: inout TriggerFiring) throws -> Position {
        try perform(writes[0], in: context, &firing).position
    }

    private func perform(
        _ write: DocumentWrite,
        _ condition: WriteCondition? = nil,
        in context: WriteContext,
        _ firing: inout TriggerFiring
    ) throws -> Result {
        // Also places without messages: triggers trust every document in these collections.
        guard !write.path.isWrittenByCommandsAlone else {
            throw Refusal(
                .forbidden,
                "\(write.path) cannot be written like this: only the commands of users write chats and recommendations",
                field: "path"
            )
        }
        try context.transaction.checkErasure(ofOwnerOf: write.path)
        if let follow = context.collections.follow(at: write.path) {
            return try perform(write, follow, in: context, &firing)
        }
        let documents = context.transaction.documents
        let stored = try documents.find(write.path)
        let existing = stored.flatMap(Self.existing)
        let before = try Self.data(of: existing)
        // This comes first, because a conflict shows what is there.
        try condition?.check(before: before)
        if let wanted = write.ifVersion, wanted != existing?.version ?? 0 {
            throw Self.conflict(with: existing)
        }
        let (after, body) = try Self.result(of: write.operation, on: before)
        try condition?.check(before: before, after: after)
        guard before != after else {
            guard let existing else { throw Refusal.noDocument(write.path) }
            return Result(
                path: write.path,
                version: existing.version,
                position: existing.position,
                reports: TriggerReports()
            )
        }
        let version = (stored?.version ?? 0) + 1
        let position = try append(write.path, version: version, body: body, in: context)
        try documents.put(write.path, version: version, at: position, body: body)
        let beforeBody = existing?.body.map { Array($0.utf8) }
        // The old document is read, parsed, and written to the history.
        context.engine.meter.charge(
            (2 * (beforeBody?.count ?? 0) + (body?.count ?? 0)) / TriggerLimits.bytesPerWork)
        try firing.keep(write.path, before: beforeBody, at: position)
        let event: ChangeEvent = before == nil ? .create : after == nil ? .delete : .update
        let reports = try firing.fire(event, path: write.path, at: position, bytes: (beforeBody, body)) {
            (before, after)
        }
        let warning = event == .create ? context.collections.doubt(ofFollow: write.path) : nil
        return Result(
            path: write.path, version: version, position: position, reports: reports, data: body, warning: warning)
    }

    /// Gives the change its place in the log, with an event if somebody may be watching.
    private func append(
        _ path: DocumentPath,
        version: Int64,
        body: [UInt8]?,
        in context: WriteContext
    ) throws -> Position {
        let transaction = context.transaction
        let (collection, own) = try context.watched.streams(of: path, in: transaction)
        guard collection != nil || own != nil else { return try transaction.appendSilently() }
        // An application's keys are not for its users' eyes.
        var ownKey: WriteKey?
        if case .user = context.actor { ownKey = key }
        let event = Event.document(
            seq: transaction.nextPosition, path: path, version: version, encoded: body, key: ownKey)
        let document = Publication.Document(path: path, version: version, bytes: body?.count)
        return try transaction.append(event, of: document, collection: collection, own: own)
    }

    /// Somebody else has written meanwhile. The refusal has the current version and data, so that the client can merge
    /// the two. A user who may write may read.
    private static func conflict(with existing: DocumentEntry?) -> Refusal {
        var refusal = Refusal(
            .conflict,
            existing.map { "the document is at version \($0.version)" } ?? "there is no such document",
            field: "ifVersion"
        )
        refusal.found = Refusal.Found(
            version: existing?.version ?? 0,
            data: existing?.body.map { Array($0.utf8) }
        )
        return refusal
    }

    /// Writes a follow as a document. Its version is 1 while the follow exists.
    private func perform(
        _ write: DocumentWrite,
        _ follow: (topic: Topic, follower: UserID),
        in context: WriteContext,
        _ firing: inout TriggerFiring
    ) throws -> Result {
        let isOn = if case .delete = write.operation { false } else { true }
        let stands = try Self.stands(follow, in: context.transaction)
        if let wanted = write.ifVersion, wanted != (stands ? 1 : 0) {
            let found = stands ? "the document is at version 1" : "there is no such document"
            throw Refusal(.conflict, found, field: "ifVersion")
        }
        guard isOn || stands else {
            throw Refusal.noDocument(write.path)
        }
        let outcome = try FollowTopic(follow.topic, isOn: isOn, key: nil, follower: follow.follower)
            .perform(in: context, &firing)
        return Result(
            path: write.path,
            version: 1,
            position: outcome.position,
            reports: outcome.reports ?? TriggerReports(),
            topic: follow.topic,
            warning: isOn ? Self.doubt(of: follow.topic, in: context) : nil
        )
    }

    /// A warning if no trigger notifies the followers of such a topic: the kind may be guessed wrong.
    private static func doubt(of topic: Topic, in context: WriteContext) -> String? {
        guard topic.kind != "user", !context.engine.followedKinds.contains(topic.kind) else { return nil }
        let collection = context.collections.collection(ofKind: topic.kind)
        return "this follows \(topic.text), but no trigger has the audience followers:\(topic.kind):…; if "
            + "\(collection) are of another kind, write \"collections\": {\"KIND\": \"\(collection)\"} in the configuration"
    }

    private static func stands(
        _ follow: (topic: Topic, follower: UserID),
        in transaction: WriteTransaction
    ) throws -> Bool {
        guard let stream = try transaction.streams.find(follow.topic),
            let follower = try transaction.users.number(of: follow.follower)
        else { return false }
        return try transaction.follows.since(follower: follower, stream: stream.id) != nil
    }

    /// The document after the operation, and its JSON; nil when there is none.
    private static func result(
        of operation: DocumentWrite.Operation,
        on before: JSONValue?
    ) throws -> (JSONValue?, [UInt8]?) {
        let after: JSONValue
        switch operation {
        case .delete: return (nil, nil)
        case .put(let data): after = .object(data)
        case .patch(let patch): after = (before ?? .object([:])).merged(with: .object(patch))
        }
        // Room for most documents at once.
        var writer = JSONWriter(capacity: 1024)
        writer.value(after)
        let bytes = writer.bytes
        guard bytes.count <= DocumentLimits.bytesMax else {
            throw Refusal(.tooLarge, "a document has at most \(DocumentLimits.bytesMax) bytes", field: "data")
        }
        return (after, bytes)
    }
}

extension PutCommand: AnsweredCommand {
    package var work: CommandWork {
        .write(WriteDocuments(DocumentWrite(path: path, operation: .put(data), ifVersion: ifVersion), key: key))
    }
}

extension PatchCommand: AnsweredCommand {
    package var work: CommandWork {
        .write(WriteDocuments(DocumentWrite(path: path, operation: .patch(data), ifVersion: ifVersion), key: key))
    }
}

extension RemoveCommand: AnsweredCommand {
    package var work: CommandWork {
        .write(WriteDocuments(DocumentWrite(path: path, operation: .delete, ifVersion: ifVersion), key: key))
    }
}
