package import Model

/// Why a device gets a push.
///
/// - Confinement: any
package enum PushKind: String, Sendable, Hashable, CaseIterable {
    case notification
    case message
    case digest
    /// A notification that was shown is replaced by its present version, and nobody is interrupted again.
    case quietUpdate
    /// Notifications that were shown are taken away. Nothing is shown.
    case withdrawal
}

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

/// How long a push may be delivered.
///
/// - Confinement: any
package enum PushLifetime {
    /// When a push is over.
    ///
    /// - Parameters:
    ///   - expires: The notification's own end.
    ///   - committed: When the write that caused the push was committed; later tries do not make it live longer.
    package static func end(
        of kind: PushKind, _ level: InterruptionLevel, expires: Timestamp?, committed: Timestamp
    ) -> Timestamp {
        if let expires { return expires }
        let milliseconds =
            switch kind {
            case .message: PushLimits.messageMilliseconds
            case .digest: PushLimits.digestMilliseconds
            case .withdrawal: PushLimits.withdrawalMilliseconds
            case .notification, .quietUpdate:
                level >= .timeSensitive ? PushLimits.urgentMilliseconds : PushLimits.activeMilliseconds
            }
        return committed.adding(milliseconds: milliseconds)
    }

    /// The whole seconds that are left: 0 (now or never) under a minute, and four weeks at most.
    static func seconds(until end: Timestamp, at now: Timestamp) -> Int64 {
        let (rest, isMore) = end.milliseconds.subtractingReportingOverflow(now.milliseconds)
        if isMore { return end < now ? 0 : PushLimits.lifetimeSecondsMax }
        let seconds = rest / 1000
        return seconds < PushLimits.lifetimeSecondsMin ? 0 : min(seconds, PushLimits.lifetimeSecondsMax)
    }
}
