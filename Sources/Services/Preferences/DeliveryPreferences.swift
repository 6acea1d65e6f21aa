package import Model

/// What a person wants to be interrupted by, and when: decides for each notification, by itself and without looking
/// anything up.
///
/// A class, since every delivery to its owner's sessions asks it, and must copy nothing.
///
/// - Confinement: any
package final class DeliveryPreferences: Sendable {
    /// The end of something that is silenced.
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

    /// At which levels a single kind may interrupt.
    enum KindLevels: Sendable, Hashable {
        /// Only at critical, if the levels for all kinds have it.
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
    /// What is otherwise for single kinds.
    let levelsByKind: [String: KindLevels]
    let digests: [DigestSubject: DigestRule]

    init(
        clock: ZoneClock,
        quietHours: QuietHours?,
        muteAll: Mute?,
        mutedTopics: [String: Mute],
        mutedKinds: [String: Mute],
        mutedChats: [ChatID: Mute],
        levels: Set<InterruptionLevel>,
        levelsByKind: [String: KindLevels],
        digests: [DigestSubject: DigestRule]
    ) {
        self.clock = clock
        self.quietHours = quietHours
        self.muteAll = muteAll
        self.mutedTopics = mutedTopics
        self.mutedKinds = mutedKinds
        self.mutedChats = mutedChats
        self.levels = levels
        self.levelsByKind = levelsByKind
        self.digests = digests
    }

    /// Why a notification is not to interrupt; nil when it is, or never does (passive).
    ///
    /// A mute goes before a level, that before a digest, and quiet hours come last. Only what is active is collected or
    /// held: time-sensitive means that it cannot wait.
    ///
    /// - Parameter beginsDigest: whether it is the first of a look-back digest, which is not collected by it.
    package func reason(against facts: NotificationFacts, beginsDigest: Bool) -> Silence? {
        if let reason = reasonBeforeDigests(against: facts) { return reason }
        guard facts.level == .active else { return nil }
        if let digest = digest(of: facts) {
            guard case .lookBack = digest.rule, beginsDigest else { return .digest }
        }
        guard !facts.endsQuietHours, let quietHours, !quietHours.allowedKinds.contains(facts.kind),
            quietHours.contains(clock.minute(at: facts.at))
        else { return nil }
        return .quietHours
    }

    /// Why a notification in a stream that many read does not interrupt this reader; what lies in an inbox was decided
    /// when it was written.
    ///
    /// A topic's row cannot know whether what it brings up to date has interrupted each of its readers: one that is held
    /// or collected for him now is what he is told of later.
    package func readerReason(against facts: NotificationFacts, beginsDigest: Bool) -> Silence? {
        if facts.isPersonal { return facts.silence }
        switch facts.silence {
        case nil: return reason(against: facts, beginsDigest: beginsDigest)
        case .updated:
            let own = reason(against: facts, beginsDigest: beginsDigest)
            return own == .digest || own == .quietHours ? own : .updated
        case let decided: return decided
        }
    }

    /// The digest that collects a notification; a topic's goes before its kind's. None collects digests, though they lie
    /// under a topic, their owner's.
    func digest(of facts: NotificationFacts) -> (subject: DigestSubject, rule: DigestRule)? {
        guard !digests.isEmpty, facts.level == .active, facts.kind != NotificationFacts.digestKind else { return nil }
        for subject in facts.digestSubjects {
            if let rule = digests[subject] { return (subject, rule) }
        }
        return nil
    }

    /// The look-back digest that would begin with a notification, were none under way.
    func lookBack(of facts: NotificationFacts) -> (subject: DigestSubject, milliseconds: Int64)? {
        guard let digest = digest(of: facts), case .lookBack(let milliseconds) = digest.rule,
            reasonBeforeDigests(against: facts) == nil
        else { return nil }
        return (digest.subject, milliseconds)
    }

    /// Whether a chat is muted at a time.
    func isMuted(_ chat: ChatID, at time: Timestamp) -> Bool { mutedChats[chat]?.covers(time) ?? false }

    /// When everything that is collected for a subject is next told of; nil where a notification begins it.
    package func nextDue(of subject: DigestSubject, after now: Timestamp) -> Timestamp? {
        switch subject {
        case .quietHours: quietHours.flatMap { DigestRule.daily($0.to).next(after: now, on: clock) }
        case .kind, .topic: digests[subject]?.next(after: now, on: clock)
        }
    }

    private func reasonBeforeDigests(against facts: NotificationFacts) -> Silence? {
        guard facts.level > .passive else { return nil }
        if facts.level < .critical, isMuted(facts) { return .muted }
        return levels(of: facts.kind).contains(facts.level) ? nil : .level
    }

    /// The levels at which a kind may interrupt.
    private func levels(of kind: String) -> Set<InterruptionLevel> {
        switch levelsByKind[kind] {
        case nil: levels
        case .these(let levels): levels
        // Only who takes critical out of the levels themselves is not interrupted by it.
        case .silent: levels.intersection([.critical])
        }
    }

    private func isMuted(_ facts: NotificationFacts) -> Bool {
        if let muteAll, muteAll.covers(facts.at) { return true }
        if let mute = mutedTopics[facts.topic], mute.covers(facts.at) { return true }
        // The mute of any of them wins.
        if facts.otherTopics.contains(where: { mutedTopics[$0]?.covers(facts.at) == true }) { return true }
        if let mute = mutedKinds[facts.kind], mute.covers(facts.at) { return true }
        guard let chat = facts.chat else { return false }
        return isMuted(chat, at: facts.at)
    }
}
