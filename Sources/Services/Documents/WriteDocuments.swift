import ClientProtocol
package import JSON
package import Model
package import Store
import Triggers

/// `PUT`, `PATCH` and `DELETE` of documents, one or many in one commit, with the triggers they fire.
///
/// - Confinement: any
package struct WriteDocuments: WriteUseCase {
    let writes: [DocumentWrite]
    /// Whether the answer is that of a batch: a list.
    let isBatch: Bool
    package let key: WriteKey?
    /// The triggers through which it came about, where a webhook's receiver writes back.
    package var chain = TriggerChain.none

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

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        context.chain = chain
        if case .user = context.actor { return try performCommand(in: context, reply: &reply) }
        context.unmetReportsLeft = TriggerLimits.unmetReportsMax
        guard isBatch else {
            for write in writes { try perform(write, in: context).write(to: &reply) }
            return
        }
        reply.name("documents")
        reply.beginArray()
        for (index, write) in writes.enumerated() {
            reply.beginObject()
            do {
                try perform(write, in: context).write(to: &reply)
            } catch var refusal as Refusal {
                refusal.field = "writes[\(index)]" + (refusal.field.map { ".\($0)" } ?? "")
                throw refusal
            }
            reply.endObject()
            try context.checkWork(after: index + 1, of: writes.count)
        }
        reply.endArray()
    }

    /// The same for a user: by the access rules, and without a word about the triggers, which are not his.
    private func performCommand(in context: WriteContext, reply: inout JSONWriter) throws {
        let (_, name) = try context.user()
        for write in writes {
            let condition = try context.documentRights.checkWrite(of: write.path, by: name, roles: context.roles)
            let result = try perform(write, condition, in: context)
            result.writePlace(to: &reply)
            result.writeWrongTimes(to: &reply)
            // A patch's result is what the writer cannot know.
            if case .patch = write.operation { context.dataBesideReply = result.data }
        }
    }

    /// The document as the write left it, when that version still stands, or the history holds it.
    package func dataLeft(by reply: KeptReply, in transaction: WriteTransaction) throws -> [UInt8]? {
        guard let write = writes.first, let place = try? JSONValue(parsing: reply.json),
            let version = place["version"]?.integerValue, let seq = place["seq"]?.integerValue
        else { return nil }
        let body: String?
        if let standing = try transaction.documents.find(write.path), standing.version == version {
            body = standing.body
        } else {
            body = try transaction.history.find(Position(seq))?.after
        }
        return body.map { Array($0.utf8) }
    }

    private struct Result {
        let path: DocumentPath
        let version: Int64
        let position: Position
        let reports: TriggerReports
        /// The JSON of what is there now, if something has changed.
        var data: [UInt8]?
        /// What is followed, where the document is a follow.
        var topic: Topic?
        /// What an administrator may not have meant.
        var warning: String?

        func writePlace(to reply: inout JSONWriter) {
            reply.member("path", path.text)
            reply.member("version", version)
            reply.member("seq", position.value)
            if let topic { reply.member("topic", topic.text) }
        }

        /// Of what the triggers did a user is told this alone: that a time or a zone in the document is none, so that
        /// nothing comes of it.
        func writeWrongTimes(to reply: inout JSONWriter) {
            var warnings: [String] = []
            for reason in reports.reports.compactMap(\.wrongTime) {
                let warning = "the document is written, but a time or a zone in it cannot be read: \(reason)"
                if !warnings.contains(warning) { warnings.append(warning) }
            }
            if !warnings.isEmpty { reply.member("warnings", .array(warnings.map { .string($0) })) }
        }

        func write(to reply: inout JSONWriter) {
            writePlace(to: &reply)
            reports.write(to: &reply)
            if let warning { reply.member("warnings", .array([.string(warning)])) }
        }
    }

    private func perform(
        _ write: DocumentWrite,
        _ condition: WriteCondition? = nil,
        in context: WriteContext
    ) throws -> Result {
        // Not only the places where messages stand: triggers believe whatever lies in these collections.
        guard !write.path.isWrittenByCommandsAlone else {
            throw Refusal(
                .forbidden,
                "\(write.path) cannot be written like this: only the commands of users write chats and recommendations",
                field: "path"
            )
        }
        if let follow = context.collections.follow(at: write.path) { return try perform(write, follow, in: context) }
        let documents = context.transaction.documents
        let stored = try documents.find(write.path)
        let existing = stored.flatMap { $0.body == nil ? nil : $0 }
        let before = try existing?.body.map { JSONValue.object(try StoredJSON.object($0, place: "documents.body")) }
        // First of all: a conflict tells what is there.
        try condition?.check(before: before)
        if let wanted = write.ifVersion, wanted != existing?.version ?? 0 {
            throw Self.conflict(with: existing)
        }
        let (after, body) = try Self.result(of: write.operation, on: before)
        try condition?.check(before: before, after: after)
        guard before != after else {
            guard let existing else { throw Refusal(.notFound, "there is no document \(write.path)", field: "path") }
            return Result(
                path: write.path,
                version: existing.version,
                position: existing.position,
                reports: TriggerReports()
            )
        }
        let version = (stored?.version ?? 0) + 1
        let position = try Self.append(write.path, version: version, body: body, in: context)
        try documents.put(write.path, version: version, at: position, body: body)
        let beforeBody = existing?.body.map { Array($0.utf8) }
        // What was there is read, parsed, and written to the history.
        context.engine.meter.charge(
            (2 * (beforeBody?.count ?? 0) + (body?.count ?? 0)) / TriggerLimits.bytesPerWork)
        try context.keep(write.path, before: beforeBody, at: position)
        let event: ChangeEvent = before == nil ? .create : after == nil ? .delete : .update
        let reports = try context.fire(event, path: write.path, at: position, bytes: (beforeBody, body)) {
            (before, after)
        }
        let warning = event == .create ? context.collections.doubt(ofFollow: write.path) : nil
        return Result(
            path: write.path, version: version, position: position, reports: reports, data: body, warning: warning)
    }

    /// Gives the change its place in the log, with its event where somebody may be watching.
    private static func append(
        _ path: DocumentPath,
        version: Int64,
        body: [UInt8]?,
        in context: WriteContext
    ) throws -> Position {
        let transaction = context.transaction
        let (collection, own) = try context.watched.streams(of: path, in: transaction)
        guard collection != nil || own != nil else { return try transaction.appendSilently() }
        let event = Event.document(seq: transaction.nextPosition, path: path, version: version, encoded: body)
        return try transaction.append(event, document: path.id, collection: collection, own: own)
    }

    /// Another has written meanwhile: the version and the data that are there, so that the two can be merged. Who may
    /// write may read.
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

    /// A follow, written as the document it is: its version is 1 while it stands.
    private func perform(
        _ write: DocumentWrite,
        _ follow: (topic: Topic, follower: UserID),
        in context: WriteContext
    ) throws -> Result {
        let isOn = if case .delete = write.operation { false } else { true }
        let stands = try Self.stands(follow, in: context.transaction)
        if let wanted = write.ifVersion, wanted != (stands ? 1 : 0) {
            let found = stands ? "the document is at version 1" : "there is no such document"
            throw Refusal(.conflict, found, field: "ifVersion")
        }
        guard isOn || stands else {
            throw Refusal(.notFound, "there is no document \(write.path)", field: "path")
        }
        let outcome = try FollowTopic(follow.topic, isOn: isOn, key: nil, follower: follow.follower).apply(in: context)
        return Result(
            path: write.path,
            version: 1,
            position: outcome.position,
            reports: outcome.reports ?? TriggerReports(),
            topic: follow.topic,
            warning: isOn ? Self.doubt(of: follow.topic, in: context) : nil
        )
    }

    /// What to think of where nobody tells the followers of such a topic anything: the kind may be guessed wrong.
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
        guard bytes.count <= Limits.documentBytesMax else {
            throw Refusal(.tooLarge, "a document has at most \(Limits.documentBytesMax) bytes", field: "data")
        }
        return (after, bytes)
    }
}
