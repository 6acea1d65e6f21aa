package import Model

/// How a push behaves on the device: the rows of the table on the page of this module.
///
/// - Confinement: any
package enum PushUrgency: Sendable, Hashable, CaseIterable {
    case active
    case timeSensitive
    case critical
    case quietUpdate
    case digest
    case withdrawal

    /// - Parameter level: counts for notifications and messages. `passive` interrupts nobody, so a push that should not
    ///   have been made is quiet.
    package init(_ kind: PushKind, _ level: InterruptionLevel) {
        switch (kind, level) {
        case (.quietUpdate, _): self = .quietUpdate
        case (.digest, _): self = .digest
        case (.withdrawal, _): self = .withdrawal
        case (.notification, .passive), (.message, .passive): self = .quietUpdate
        case (.notification, .active), (.message, .active): self = .active
        case (.notification, .timeSensitive), (.message, .timeSensitive): self = .timeSensitive
        case (.notification, .critical), (.message, .critical): self = .critical
        }
    }

    /// Whether it may make a sound, and again when it replaces an earlier push.
    var isInterrupting: Bool { self == .active || self == .timeSensitive || self == .critical }

    /// The notification channel of an Android app.
    var channel: String {
        switch self {
        case .active: InterruptionLevel.active.rawValue
        case .timeSensitive: InterruptionLevel.timeSensitive.rawValue
        case .critical: InterruptionLevel.critical.rawValue
        case .quietUpdate, .digest, .withdrawal: "digest"
        }
    }
}

extension PushLifetime {
    /// The whole seconds that are left: 0 (now or never) under a minute, and four weeks at most.
    static func seconds(until end: Timestamp, at now: Timestamp) -> Int64 {
        let (rest, isMore) = end.milliseconds.subtractingReportingOverflow(now.milliseconds)
        if isMore { return end < now ? 0 : PushLimits.lifetimeSecondsMax }
        let seconds = rest / 1000
        return seconds < PushLimits.lifetimeSecondsMin ? 0 : min(seconds, PushLimits.lifetimeSecondsMax)
    }
}
