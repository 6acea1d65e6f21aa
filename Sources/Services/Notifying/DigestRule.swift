import Model

/// When the notifications of a kind or a topic are told of, together.
///
/// - Confinement: any
package enum DigestRule: Sendable, Hashable {
    case daily(LocalTime)
    case weekly(Weekday, LocalTime)
    /// The first interrupts at once; what comes within so many milliseconds behind it is collected.
    case lookBack(milliseconds: Int64)

    /// What the form is, for error messages.
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

    /// When it is next due behind `now`; nil for one that begins with a notification.
    func next(after now: Timestamp, on clock: ZoneClock) -> Timestamp? {
        let today = clock.minute(at: now).day
        // The day before, too: where the clock is put back over midnight, yesterday comes again.
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

/// Which notifications a digest collects, as a digest's row names it.
///
/// - Confinement: any
package enum DigestSubject: Sendable, Hashable {
    case kind(String)
    case topic(String)
    /// What quiet hours held.
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

    /// Reads such a name; kinds have no capital letters, so that `quietHours` is none.
    package init(_ name: String) {
        if name.hasPrefix(Self.topicPrefix) {
            self = .topic(String(name.dropFirst(Self.topicPrefix.count)))
        } else {
            self = name == Self.quietHours.name ? .quietHours : .kind(name)
        }
    }
}

extension NotificationFacts {
    /// The digests that may collect it: those of its topics go before that of its kind.
    var digestSubjects: [DigestSubject] { [.topic(topic)] + otherTopics.map(DigestSubject.topic) + [.kind(kind)] }
}
