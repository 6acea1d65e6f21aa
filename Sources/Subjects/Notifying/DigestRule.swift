import Model

/// When the notifications of a kind or a topic are listed in a digest.
///
/// - Confinement: any
package enum DigestRule: Sendable, Hashable {
    case daily(LocalTime)
    case weekly(Weekday, LocalTime)
    /// The first notification interrupts at once. Notifications within this many milliseconds after it are collected.
    case lookBack(milliseconds: Int64)

    /// The form, for error messages.
    static let form = """
        daily HH:MM, weekly DAY HH:MM (DAY is mon, tue …), or {"every": SECONDS} from \
        \(PreferenceLimits.digestSeconds.lowerBound) to \(PreferenceLimits.digestSeconds.upperBound)
        """

    /// Reads `daily HH:MM` or `weekly DAY HH:MM`.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        switch (words.first, words.count) {
        case ("daily", 2):
            guard let time = LocalTime(words[1]) else { return nil }
            self = .daily(time)
        case ("weekly", 3):
            guard let day = Weekday(rawValue: String(words[1])), let time = LocalTime(words[2]) else { return nil }
            self = .weekly(day, time)
        default: return nil
        }
    }

    /// When it is next due after `now`; nil for a digest that begins with a notification.
    func next(after now: Timestamp, on clock: ZoneClock) -> Timestamp? {
        let today = clock.minute(at: now).day
        // The day before, too: when the clock is put back over midnight, yesterday comes again.
        for day in today - 1...today + 15 {
            let minute: WallMinute
            switch self {
            case .lookBack: return nil
            case .daily(let time): minute = WallMinute(day: day, time: time)
            case .weekly(let weekday, let time):
                guard Weekday(daysSince1970: day) == weekday else { continue }
                minute = WallMinute(day: day, time: time)
            }
            let due = clock.time(of: minute)
            if due > now { return due }
        }
        return nil
    }
}

/// Which notifications a digest collects.
///
/// - Confinement: any
package enum DigestSubject: Sendable, Hashable {
    case kind(String)
    case topic(String)
    /// Notifications that quiet hours held back.
    case quietHours

    private static let topicPrefix = "topic:"

    /// The name in the table, and of a member of the preference: a kind, or `topic:` and the topic.
    package var name: String {
        switch self {
        case .kind(let kind): kind
        case .topic(let topic): Self.topicPrefix + topic
        case .quietHours: "quietHours"
        }
    }

    /// Reads such a name. Kinds have no capital letters, so `quietHours` is no kind.
    package init(_ name: String) {
        if name.hasPrefix(Self.topicPrefix) {
            self = .topic(String(name.dropFirst(Self.topicPrefix.count)))
        } else {
            self = name == Self.quietHours.name ? .quietHours : .kind(name)
        }
    }
}

extension NotificationFacts {
    /// The digests that may collect it: the digests of its topics go before the digest of its kind.
    var digestSubjects: [DigestSubject] { [.topic(topic)] + otherTopics.map(DigestSubject.topic) + [.kind(kind)] }
}
