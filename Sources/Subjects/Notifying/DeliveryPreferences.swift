import ClientProtocol
import JSON
package import Model

/// The preferences that say which notifications may interrupt a user, and when. They decide about each notification by
/// itself, without look-ups.
///
/// It is a class because each delivery to a session of the user asks it, and must copy nothing.
///
/// - Confinement: any
package final class DeliveryPreferences: Sendable {
    /// The members of the choices besides `locale`, each with its value when nothing was chosen.
    static let members: KeyValuePairs<String, JSONValue> = [
        "timeZone": .null, "quietHours": .null, "mute": [:], "levels": ["active", "time-sensitive", "critical"],
        "kinds": [:], "digest": [:], "presence": "contacts", "invites": "contacts",
    ]
    static let allLevels: Set<InterruptionLevel> = [.active, .timeSensitive, .critical]

    /// The end of a mute.
    enum Mute: Sendable, Hashable {
        case forEver
        case until(Timestamp)

        func covers(_ time: Timestamp) -> Bool {
            switch self {
            case .forEver: true
            case .until(let end): time < end
            }
        }
    }

    /// The levels at which a single kind may interrupt.
    enum KindLevels: Sendable, Hashable {
        /// Only critical, if the levels for all kinds have it.
        case silent
        case these(Set<InterruptionLevel>)
    }

    package let clock: ZoneClock
    let quietHours: QuietHours?
    let muteAll: Mute?
    let mutedTopics: [String: Mute]
    let mutedKinds: [String: Mute]
    let mutedChats: [ChatID: Mute]
    /// The levels that may interrupt.
    let levels: Set<InterruptionLevel>
    /// The exceptions for single kinds.
    let levelsByKind: [String: KindLevels]
    let digests: [DigestSubject: DigestRule]

    /// Reads the choices of a user.
    ///
    /// - Parameters:
    ///   - chosen: the choices, without the language.
    ///   - prefix: the beginning of the field that a refusal names: `set.`, or nothing.
    /// - Throws: `Refusal` naming the member that has not its form.
    init(_ chosen: JSONObject, prefix: String) throws(Refusal) {
        let reading = PreferenceFields(prefix: prefix)
        for (name, _) in chosen.members
        where name != DefaultPreferences.marker && !Self.members.contains(where: { $0.key == name }) {
            throw reading.unknown(name)
        }
        let mute = try reading.object(chosen["mute"], "mute", allowing: ["all", "topics", "kinds", "chats"])
        mutedTopics = try reading.mutes(mute["topics"], "mute.topics", form: Topic.form) {
            Topic($0)?.text ?? ($0 == "everyone" ? $0 : nil)
        }
        mutedKinds = try reading.mutes(
            mute["kinds"], "mute.kinds", form: PreferenceFields.kindForm, PreferenceFields.kind)
        mutedChats = try reading.mutes(mute["chats"], "mute.chats", form: ChatID.form) { ChatID($0) }
        guard mutedTopics.count + mutedKinds.count + mutedChats.count <= PreferenceLimits.mutesMax else {
            throw reading.refusal("mute", "has at most \(PreferenceLimits.mutesMax) topics, kinds and chats")
        }
        if let presence = chosen["presence"], !["contacts", "nobody"].contains(presence.stringValue) {
            throw reading.refusal("presence", "must be contacts or nobody")
        }
        if let invites = chosen["invites"], invites.stringValue.flatMap(InvitePreference.init) == nil {
            throw reading.refusal("invites", "must be \(InvitePreference.form)")
        }
        clock = try reading.clock(chosen["timeZone"])
        quietHours = try reading.quietHours(chosen["quietHours"])
        muteAll = try mute["all"].map { value throws(Refusal) in try reading.mute(value, "mute.all") }
        levels =
            try chosen["levels"].map { value throws(Refusal) in try reading.levels(value, "levels") } ?? Self.allLevels
        levelsByKind = try reading.kinds(chosen["kinds"])
        digests = try reading.digests(chosen["digest"])
    }

    /// Why a notification does not interrupt; nil when it interrupts, or is passive and never does.
    ///
    /// Notifications of moderators are neither muted nor collected: they wait for the end of quiet hours alone.
    ///
    /// A mute goes before a level, a level before a digest, and quiet hours come last. Only active notifications are
    /// collected or held back: time-sensitive ones cannot wait.
    ///
    /// - Parameters:
    ///   - beginsDigest: whether a look-back digest begins with it; then the digest does not collect it.
    ///   - follows: whether the user follows a stream; called only when all followed topics of the notification must be
    ///     muted.
    package func reason(
        against facts: NotificationFacts, beginsDigest: Bool, follows: (StreamID) throws -> Bool
    ) rethrows -> Silence? {
        if let reason = try reasonBeforeDigests(against: facts, follows) { return reason }
        guard facts.level == .active else { return nil }
        if let digest = digest(of: facts) {
            guard case .lookBack = digest.rule, beginsDigest else { return .digest }
        }
        guard !facts.endsQuietHours, let quietHours, !quietHours.allowedKinds.contains(facts.kind),
            quietHours.contains(clock.minute(at: facts.at))
        else { return nil }
        return .quietHours
    }

    /// Why a notification in a stream that many read does not interrupt this reader. For an inbox, that was decided
    /// when the notification was written.
    ///
    /// The row of a topic cannot know whether the notification that it brings up to date has interrupted each reader.
    /// If it is held back or collected for this reader now, the reader hears of it later.
    package func readerReason(
        against facts: NotificationFacts, beginsDigest: Bool, follows: (StreamID) throws -> Bool
    ) rethrows -> Silence? {
        if facts.isPersonal { return facts.silence }
        switch facts.silence {
        case nil: return try reason(against: facts, beginsDigest: beginsDigest, follows: follows)
        case .updated:
            let own = try reason(against: facts, beginsDigest: beginsDigest, follows: follows)
            return own == .digest || own == .quietHours ? own : .updated
        case let decided: return decided
        }
    }

    /// The digest that collects a notification; the digest of its topic goes before the digest of its kind. No digest
    /// collects digests, though they lie under a topic, too.
    func digest(of facts: NotificationFacts) -> (subject: DigestSubject, rule: DigestRule)? {
        guard !digests.isEmpty, facts.level == .active, facts.kind != NotificationFacts.digestKind,
            facts.kind != NotificationFacts.moderationKind
        else { return nil }
        for subject in facts.digestSubjects {
            if let rule = digests[subject] { return (subject, rule) }
        }
        return nil
    }

    /// The look-back digest that begins with a notification, unless one has begun already.
    func lookBack(
        of facts: NotificationFacts, follows: (StreamID) throws -> Bool
    ) rethrows -> (subject: DigestSubject, milliseconds: Int64)? {
        guard let digest = digest(of: facts), case .lookBack(let milliseconds) = digest.rule,
            try reasonBeforeDigests(against: facts, follows) == nil
        else { return nil }
        return (digest.subject, milliseconds)
    }

    /// How long the look-back digest of a subject collects, in milliseconds; nil when there is none.
    func lookBack(of subject: DigestSubject) -> Int64? {
        guard case .lookBack(let milliseconds)? = digests[subject] else { return nil }
        return milliseconds
    }

    /// Whether a chat is muted at a time.
    package func isMuted(_ chat: ChatID, at time: Timestamp) -> Bool { mutedChats[chat]?.covers(time) ?? false }

    /// When the digest of a subject is next due; nil when it begins with a notification.
    package func nextDue(of subject: DigestSubject, after now: Timestamp) -> Timestamp? {
        switch subject {
        case .quietHours: quietHours.flatMap { DigestRule.daily($0.to).next(after: now, on: clock) }
        case .kind, .topic: digests[subject]?.next(after: now, on: clock)
        }
    }

    private func reasonBeforeDigests(
        against facts: NotificationFacts, _ follows: (StreamID) throws -> Bool
    ) rethrows -> Silence? {
        guard facts.level > .passive, facts.kind != NotificationFacts.moderationKind else { return nil }
        if facts.level < .critical, try isMuted(facts, follows) { return .muted }
        return levels(of: facts.kind).contains(facts.level) ? nil : .level
    }

    /// The levels at which a kind may interrupt.
    private func levels(of kind: String) -> Set<InterruptionLevel> {
        switch levelsByKind[kind] {
        case nil: levels
        case .these(let levels): levels
        // Critical always interrupts, unless the user has removed it from the levels.
        case .silent: levels.intersection([.critical])
        }
    }

    private func isMuted(_ facts: NotificationFacts, _ follows: (StreamID) throws -> Bool) rethrows -> Bool {
        if let muteAll, muteAll.covers(facts.at) { return true }
        if try isTopicMuted(facts, follows) { return true }
        if let mute = mutedKinds[facts.kind], mute.covers(facts.at) { return true }
        guard let chat = facts.chat else { return false }
        return isMuted(chat, at: facts.at)
    }

    private func isTopicMuted(_ facts: NotificationFacts, _ follows: (StreamID) throws -> Bool) rethrows -> Bool {
        guard !mutedTopics.isEmpty else { return false }
        func isMuted(_ topic: String) -> Bool { mutedTopics[topic]?.covers(facts.at) == true }
        guard !facts.mutedTogether.isEmpty else {
            return isMuted(facts.topic) || facts.otherTopics.contains(where: isMuted)
        }
        let followed = try zip([facts.topic] + facts.otherTopics, facts.mutedTogether).filter { try follows($0.1) }
        return !followed.isEmpty && followed.allSatisfy { isMuted($0.0) }
    }
}
