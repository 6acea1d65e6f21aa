/// Why a device gets a push.
///
/// - Confinement: any
package enum PushKind: String, Sendable, Hashable, CaseIterable {
    case notification
    case message
    case digest
    /// A notification that was shown is replaced by its present version, and nobody is interrupted again.
    case quietUpdate = "quiet"
    /// Notifications that were shown are taken away. Nothing is shown.
    case withdrawal
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
}
