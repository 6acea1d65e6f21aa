package import ClientProtocol
package import Execution
package import JSON
import Model
import Notifying
import Store
import Triggers

/// `GET /v1/explain?path=DOC&user=USER`: why a person got, or did not get, notifications of a document's changes: each
/// trigger that watches the path, with its reason.
///
/// - Confinement: any
package struct ExplainPath: ReadUseCase {
    let path: DocumentPath
    let user: UserID
    /// The position of the change to explain; nil for the newest ones.
    let position: Position?
    let limit: Int

    /// - Throws: `Refusal` naming the field.
    package init(path: String?, user: String?, seq: String?, limit: String?) throws(Refusal) {
        guard let path else {
            throw Refusal.badRequest(field: "path", "is required: ?path=people/525/credits/movie/603&user=alice")
        }
        self.path = try DocumentPath(path, field: "path")
        guard let user = user.flatMap(UserID.init(_:)) else {
            throw Refusal.badRequest(field: "user", "is required: \(UserID.form)")
        }
        self.user = user
        position = try Self.number(seq, "seq", 1...(Position.bound - 1)).map(Position.init)
        self.limit = Int(try Self.number(limit, "limit", 1...Int64(TriggerLimits.explainedChangesMax)) ?? 1)
    }

    private static func number(
        _ text: String?,
        _ field: String,
        _ range: ClosedRange<Int64>
    ) throws(Refusal) -> Int64? {
        guard let text else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw Refusal.badRequest(field: field, "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let history = ChangeHistory(transaction: context.transaction, collections: context.collections)
        let changes = try changes(history)
        let runner = try ConditionRunner()
        var triggers: [CompiledTrigger] = []
        var broken: [JSONValue] = []
        for row in try context.transaction.triggers.all() {
            do {
                let json = JSONValue.object(try StoredJSON.object(row, place: "triggers.row"))
                triggers.append(try CompiledTrigger(TriggerDefinition(json: json), runner: runner))
            } catch {
                broken.append([
                    "trigger": .string(TriggerEngine.name(ofRow: row)), "broken": .string("\(error)"),
                ])
            }
        }
        let watching = triggers.filter { $0.definition.path.match(path) != nil }
        let explained: [JSONValue] = try changes.map { past in
            var write = ExplainTrail(context.transaction, now: context.now)
            try write.addWrite(past)
            let reasons = try watching.map { try explain($0, past, in: context) }
            return ["write": write.steps.first ?? .null, "triggers": .array(reasons)]
        }
        var report: JSONObject = [
            "path": .string(path.text), "user": .string(user.text),
            "knownFrom": .integer(try history.knownFrom().value + 1), "changes": .array(explained),
        ]
        if !broken.isEmpty { report["broken"] = .array(broken) }
        if let pushes = try pushes(in: context) { report["push"] = .array(pushes) }
        report["verdict"] = .string(verdict(changes: changes.count, triggers: watching.count))
        return report
    }

    /// The pushes of a message; nil for all other documents, and for a message without pushes.
    private func pushes(in context: ReadContext) throws -> [JSONValue]? {
        guard let (chat, n, _) = StandingDocuments.message(at: path),
            let user = try context.transaction.users.number(of: user)
        else { return nil }
        var trail = ExplainTrail(context.transaction, now: context.now)
        try trail.addPush(ofMessage: n, in: chat, to: user)
        return trail.steps.isEmpty ? nil : trail.steps
    }

    private func verdict(changes: Int, triggers: Int) -> String {
        if changes == 0 { return "the log has no change of \(path)" }
        if triggers == 0 { return "no trigger watches \(path)" }
        return triggers == 1 ? "one trigger watches \(path)" : "\(triggers) triggers watch \(path)"
    }

    /// - Throws: `Refusal` when there is nothing to explain.
    private func changes(_ history: ChangeHistory) throws -> [PastChange] {
        guard let position else {
            return try history.newest(of: path, before: Position(Position.bound), limit: limit)
        }
        let changes = try history.changes(at: position).filter { $0.change.path == path }
        let from = try history.knownFrom()
        guard !changes.isEmpty else {
            throw Refusal(
                .notFound,
                position > from
                    ? "\(path) did not change at seq \(position)"
                    : "the change at seq \(position) is no longer known: the log begins after seq \(from)",
                field: "seq"
            )
        }
        return changes
    }

    /// Explains what one trigger did about one change for the person.
    private func explain(
        _ trigger: CompiledTrigger,
        _ past: PastChange,
        in context: ReadContext
    ) throws -> JSONValue {
        let transaction = context.transaction
        let name = trigger.definition.name
        var trail = ExplainTrail(transaction, now: context.now)
        try trail.addRow(trigger, name, ranAt: past.position)
        let then = try past.at ?? transaction.retention.firstMark(from: past.position)?.at ?? context.now
        let history = ChangeHistory(transaction: transaction, collections: context.collections)
        let explanation = TriggerEvaluation.explain(trigger, change: try history.change(past, for: trigger), now: then)
        trail.addCondition(explanation)
        let story = ScheduleStory(trigger, path, history: history, now: context.now)
        if let earlier = try story.told(by: past) { trail.add("schedule", true, earlier.says, earlier.facts) }
        try trail.addWithdrawn(by: trigger, past, upTo: story.next(after: past)?.position)
        let entry = try transaction.users.find(user)
        var answer: JSONObject = ["trigger": .string(name)]
        if let entry, let found = try notification(of: name, past.position, explanation.wanted, entry, transaction) {
            trail.addNotification(found)
            answer["says"] = .string(try trail.addPerson(entry, found))
            answer["sent"] = true
            answer["id"] = .string(found.id)
        } else {
            let reason = try reason(trigger, past, explanation, entry, story, transaction)
            trail.add("audience", false, reason)
            answer["says"] = .string("\(user.text) got nothing of \(name): \(reason)")
            if try isBlocked(trigger, past, by: entry, transaction) { answer["reason"] = "blocked" }
            answer["sent"] = false
        }
        answer["trail"] = .array(trail.steps)
        return .object(answer)
    }

    /// The row of it that the person reads: in the inbox, for everyone, or in the topic.
    private func notification(
        of name: String,
        _ change: Position,
        _ wanted: NotificationWanted?,
        _ user: UserEntry,
        _ transaction: Transaction
    ) throws -> NotificationEntry? {
        let reading = AudienceReading(transaction: transaction)
        let streams = try [user.id, .everyone] + (wanted.map { try reading.streams(of: $0.audience) } ?? [])
        for stream in streams {
            for found in try transaction.runs.notifications(of: name, for: change, in: stream) {
                guard let entry = try transaction.notifications.findWritten(at: found.position) else { continue }
                var trail = ExplainTrail(transaction, now: entry.at)
                if try trail.addAudience(entry, user) { return entry }
            }
        }
        return nil
    }

    /// Whether the person blocked the writer when the change was written, and still does, and the row does not ignore that.
    private func isBlocked(
        _ trigger: CompiledTrigger, _ past: PastChange, by user: UserEntry?, _ transaction: Transaction
    ) throws -> Bool {
        guard trigger.definition.blocks == .hold, let user,
            let writer = try past.writer.flatMap({ try transaction.users.number(of: $0) }),
            let since = try transaction.blocks.since(writer, by: user.id)
        else { return false }
        return since < past.position
    }

    /// Why the person got nothing.
    private func reason(
        _ trigger: CompiledTrigger,
        _ past: PastChange,
        _ explanation: TriggerExplanation,
        _ entry: UserEntry?,
        _ story: ScheduleStory,
        _ transaction: Transaction
    ) throws -> String {
        let name = trigger.definition.name
        if let failure = try transaction.runs.failure(of: name, on: past.position) { return "it failed: \(failure)" }
        let schedule = try transaction.runs.schedule(of: name, path: path.text)
        if let schedule, schedule.change == past.position {
            let turn = try turn(of: trigger, for: entry, at: story.now, transaction)
            let wanted = turn?.says(to: user) ?? "it is scheduled for \(schedule.due.text)"
            guard let audience = explanation.wanted?.audience else { return wanted }
            let isIn = try AudienceReading(transaction: transaction).membership(of: user, entry, in: audience)
            return isIn.isIn ? wanted : "\(wanted), but \(isIn.says)"
        }
        let membership = try entry.flatMap { entry in
            try explanation.wanted.map {
                try AudienceReading(transaction: transaction).membership(of: entry, in: $0.audience, at: past.position)
            }
        }
        if let entry, membership?.isIn == true, try isBlocked(trigger, past, by: entry, transaction) {
            return AudienceReading.Membership.blocked(entry).says
        }
        if let place = try transaction.runs.firstNotification(of: name, for: past.position),
            let sent = try transaction.notifications.findWritten(at: place)
        {
            guard let entry else { return "it was sent as \(sent.id), but the server does not know \(user.text)" }
            let trail = ExplainTrail(transaction, now: sent.at)
            return "it was sent as \(sent.id), \(sent.at.text), and \(try trail.audience(of: sent, entry).says)"
        }
        if let mismatch = explanation.mismatch { return mismatch.message }
        if case .wanted = explanation.outcome, !past.isBackfill, let membership, !membership.isIn {
            return membership.says
        }
        switch explanation.outcome.told(isBackfill: past.isBackfill) {
        case .skipped(let reason): return reason.description
        case .failed(let failure): return "it fails: \(failure.message)"
        case .scheduled(let due, let wanted): return try story.end(of: due, wanted, setBy: past)
        case .wanted(let wanted):
            if !trigger.definition.isEnabled { return "the trigger is off" }
            if entry == nil, wanted.audience != .user(user) { return "the server does not know \(user.text)" }
            if trigger.definition.rearm != nil {
                return "it had already fired for this document, and rearm has not been true since"
            }
            return "the present row would send it; it was not sent, so the row was different then, or off"
        }
    }

    /// The person's own turn of what the trigger has scheduled for the document; nil when all get it at once.
    private func turn(
        of trigger: CompiledTrigger, for entry: UserEntry?, at now: Timestamp, _ transaction: Transaction
    ) throws -> PersonalTurn? {
        let name = trigger.definition.name
        guard let stored = try transaction.triggers.wanted(of: name, path: path.text),
            let kept = try? ScheduledNotification(parsing: stored, trigger: name)
        else { return nil }
        return PersonalTurn(kept, to: entry, late: trigger.definition.late, at: now)
    }
}
