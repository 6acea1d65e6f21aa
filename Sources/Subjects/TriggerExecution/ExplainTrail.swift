import JSON
import Model
import Notifying
import Store
import Triggers

/// The steps from a write to a person, for the answers of `explain`. Each says whether it is fulfilled, with a
/// sentence.
///
/// - Confinement: store
struct ExplainTrail {
    let transaction: Transaction
    private let now: Timestamp
    private(set) var steps: [JSONValue] = []

    init(_ transaction: Transaction, now: Timestamp) {
        self.transaction = transaction
        self.now = now
    }

    /// Adds a step.
    ///
    /// - Parameter holds: false when the way ends here; nil when that is not known, or there is nothing to check.
    mutating func add(_ step: String, _ holds: Bool?, _ says: String, _ facts: JSONObject = [:]) {
        var object: JSONObject = [
            "step": .string(step), "holds": holds.map { .bool($0) } ?? .null, "says": .string(says),
        ]
        for (name, value) in facts.members { object[name] = value }
        steps.append(.object(object))
    }

    // MARK: From the write to the notification

    mutating func addWrite(_ past: PastChange) throws {
        let change = past.change
        let when = try past.at?.text ?? approximateTime(of: past.position)
        let who = past.by.map { " by \($0)" } ?? ""
        var facts: JSONObject = [
            "seq": .integer(past.position.value), "path": .string(change.path.text),
            "event": .string(change.event.rawValue), "command": .string(past.command),
        ]
        facts["at"] = past.at.map { .string($0.text) }
        facts["by"] = past.by.map { .string($0) }
        add("write", true, "seq \(past.position): \(past.command) of \(change.path.text)\(who), \(when)", facts)
    }

    /// Adds that the change is too old, or was not a change of a document.
    mutating func addForgottenWrite(_ position: Position, path: String?, knownFrom: Position) {
        let known =
            position > knownFrom ? "is not known" : "is no longer known: the log begins after seq \(knownFrom)"
        add("write", nil, "what changed at seq \(position) \(known)", ["seq": .integer(position.value)])
    }

    /// Adds the present row, which may not be the one that ran.
    mutating func addRow(_ trigger: CompiledTrigger?, _ name: String, ranAt position: Position) throws {
        guard let row = trigger?.definition else {
            return add("trigger", nil, "\(name), which is no longer in the table", ["trigger": .string(name)])
        }
        let put = try transaction.runs.position(ofRow: name)
        var says = "\(name) on \(row.event.rawValue) of \(row.path.text)"
        var facts: JSONObject = ["trigger": .string(name), "row": row.json]
        if let put, put > position {
            says += "; its row was put at seq \(put), after this; the row before it is not kept"
            facts["rowSince"] = .integer(put.value)
        }
        if !row.isEnabled { says += "; it is off now" }
        add("trigger", true, says, facts)
    }

    /// Adds the condition on the change in the history.
    mutating func addCondition(_ explanation: TriggerExplanation) {
        if let mismatch = explanation.mismatch { return add("condition", false, mismatch.message) }
        guard let condition = explanation.condition else {
            return add("condition", true, "it has none: it fires always")
        }
        let value = condition.value?.description ?? condition.failure ?? ""
        let facts: JSONObject = ["condition": TriggerTestReport.json(condition)]
        guard condition.failure == nil else { return add("condition", false, "it failed: \(value)", facts) }
        add("condition", condition.isTrue, "it is \(value): \(condition.text)", facts)
    }

    // MARK: From the notification to the person

    mutating func addNotification(_ entry: NotificationEntry) {
        var facts: JSONObject = [
            "id": .string(entry.id), "kind": .string(entry.kind), "level": .string(entry.level.rawValue),
            "topic": .string(entry.topic), "at": .string(entry.at.text),
        ]
        facts["silence"] = entry.silence.map { .string($0.rawValue) }
        add(
            "notification", true,
            "\(entry.id), \(entry.kind), \(entry.level.rawValue), to \(([entry.topic] + entry.others).joined(separator: " and ")), \(entry.at.text)",
            facts)
    }

    /// Adds whether the person reads the stream in which it lies, and read it at that time.
    @discardableResult
    mutating func addAudience(_ entry: NotificationEntry, _ user: UserEntry) throws -> Bool {
        let membership = try audience(of: entry, user)
        var facts: JSONObject = ["user": .string(user.name.text)]
        facts["since"] = membership.since.map { .integer($0.value) }
        if membership.isBlocked { facts["reason"] = "blocked" }
        add("audience", membership.isIn, membership.says, facts)
        return membership.isIn
    }

    /// The same without a step of the trail.
    func audience(of entry: NotificationEntry, _ user: UserEntry) throws -> AudienceReading.Membership {
        if entry.stream == user.id {
            return AudienceReading.Membership(isIn: true, says: "it is in the inbox of \(user.name.text)")
        }
        let reading = AudienceReading(transaction: transaction)
        if try transaction.notifications.isWithheld(entry, from: user.id) { return .blocked(user) }
        if entry.stream == .everyone { return try reading.membership(of: user, in: .everyone, at: entry.position) }
        if try transaction.notifications.isToldByAnother(entry, to: user.id) {
            return .toldByAnother(user)
        }
        if try transaction.notifications.isApart(entry, for: user.id) {
            return AudienceReading.Membership(
                isIn: false,
                says: "\(user.name.text) already has a notification of this change in the inbox; this one is "
                    + "for the others")
        }
        if let owner = try transaction.users.name(of: entry.stream) {
            return AudienceReading.Membership(isIn: false, says: "it is only in the inbox of \(owner.text)")
        }
        let zone = try transaction.users.zone(of: user.id)
        guard entry.zones.isEmpty || entry.zones.contains(zone) else {
            let zones = entry.zones.joined(separator: ", ")
            return AudienceReading.Membership(
                isIn: false, says: "it is for those in \(zones) at that time; \(user.name.text) is in \(zone)")
        }
        if entry.topic == "everyone" { return try reading.membership(of: user, in: .everyone, at: entry.position) }
        let topics = ([entry.topic] + entry.others).compactMap(Topic.init)
        guard !topics.isEmpty else {
            return AudienceReading.Membership(isIn: false, says: "it is for \(entry.topic)")
        }
        return try reading.membership(of: user, in: Audience(all: topics.map(Audience.followers)), at: entry.position)
    }

    /// - Returns: whether it interrupts the person.
    mutating func addDecision(_ entry: NotificationEntry, _ user: UserEntry) throws -> Bool {
        let decision = try RecipientDecision(entry, isWritten: true, user: user, in: transaction)
        var facts: JSONObject = ["alert": .bool(decision.alerts)]
        facts["reason"] = decision.reason.map { .string($0.rawValue) }
        facts["language"] = decision.language.map { .string($0.text) } ?? .null
        let language = decision.language.map { "in \($0.text)" } ?? "in the texts' own language"
        add("decision", decision.alerts, "\(decision.says), \(language)", facts)
        return decision.alerts
    }

    /// Adds whether a device has it. Devices acknowledge positions. The server keeps the newest, without the device.
    mutating func addDelivery(_ entry: NotificationEntry, _ user: UserEntry) {
        let acknowledged = user.acknowledged
        let facts: JSONObject = ["acknowledged": .integer(acknowledged.value)]
        if acknowledged >= entry.position {
            return add("delivered", true, "a device acknowledged seq \(acknowledged), which is past it", facts)
        }
        let says =
            acknowledged == .zero
            ? "no device has acknowledged anything yet"
            : "the furthest that a device acknowledged is seq \(acknowledged), before it"
        add("delivered", false, "\(says); devices that do not acknowledge may have it all the same", facts)
    }

    mutating func addReading(_ entry: NotificationEntry, _ user: UserEntry) throws {
        let isSeen = try transaction.notifications.isSeen(entry.position, by: user)
        let how = entry.position <= user.seenUpTo ? "everything up to seq \(user.seenUpTo) is" : "it is"
        add(
            "seen", isSeen,
            isSeen ? "\(user.name.text) has seen it: \(how) marked as seen" : "\(user.name.text) has not seen it")
    }

    /// Adds that the person has put away one that others read, too. One in an inbox is taken away: see ``addEnd(_:)``.
    ///
    /// - Returns: whether the person has.
    mutating func addArchived(_ entry: NotificationEntry, by user: UserEntry) throws -> Bool {
        guard let place = try transaction.archived.removal(of: entry.position, by: user.id) else { return false }
        let when = "at seq \(place), \(try approximateTime(of: place))"
        add(
            "removed", true, "\(user.name.text) has archived it, \(when); it stays with the others",
            ["reason": "archived", "seq": .integer(place.value)])
        return true
    }

    /// Adds its end: taken away, expired, or still there.
    mutating func addEnd(_ entry: NotificationEntry) throws {
        if let reason = try transaction.runs.removal(of: entry.position) {
            var facts: JSONObject = ["reason": .string(reason)]
            let place = try transaction.runs.removalPlace(of: entry.position)
            facts["seq"] = place.map { .integer($0.value) }
            let when = try place.map { "at seq \($0), \(try approximateTime(of: $0))" } ?? "the time is no longer known"
            let why = reason == "retracted" ? try withdrawal(of: entry, before: place) : ""
            return add("removed", true, "it was removed (\(reason)), \(when)\(why)", facts)
        }
        guard let expires = entry.expires else { return add("expiry", nil, "it is in force and does not expire") }
        let isOver = expires <= now
        add(
            "expiry",
            isOver ? true : nil,
            isOver ? "it expired at \(expires.text)" : "it is in force and expires at \(expires.text)",
            ["expires": .string(expires.text)]
        )
    }

    /// The change of its document that took it back; empty when that is not known.
    private func withdrawal(of entry: NotificationEntry, before place: Position?) throws -> String {
        guard let path = entry.path, entry.trigger != nil, let place,
            let change = try transaction.history.positions(of: path, before: place, limit: 1).first,
            entry.change.map({ change > $0 }) ?? true
        else { return "" }
        return ": \(path) changed at seq \(change), and the trigger's withdraw was true"
    }

    /// Adds the notifications that a trigger took back when the document changed.
    ///
    /// - Parameter next: the next change of the document; nil when there is none.
    mutating func addWithdrawn(by trigger: CompiledTrigger, _ past: PastChange, upTo next: Position?) throws {
        guard trigger.definition.withdraw != nil else { return }
        // The removals that a change causes come right after it in the log.
        let last = past.position.value + Int64(TriggerLimits.explainedEventsMax)
        let taken = try transaction.runs.retracted(
            by: trigger.definition.name,
            from: past.change.path.text,
            in: past.position.value...min(last, next.map { $0.value - 1 } ?? last),
            limit: TriggerLimits.explainedChangesMax
        )
        guard !taken.isEmpty else { return }
        let ids = taken.map { NotificationEntry.id(of: $0.position) }
        let shown = zip(ids, taken).map { "\($0) (\($1.topic))" }.joined(separator: ", ")
        add("withdrawn", true, "it removed \(shown)", ["ids": .array(ids.map { .string($0) })])
    }

    /// Entries of the log have no time; marks have it at intervals.
    private func approximateTime(of position: Position) throws -> String {
        try transaction.retention.firstMark(from: position).map { "not later than \($0.at.text)" }
            ?? "within the last hour"
    }
}
