import Model

/// Why a device gets no push of a job, in one word.
///
/// - Confinement: any
enum PushSkip: String, Sendable, Hashable, CaseIterable {
    /// Somebody sees it on another device, or looks at this one.
    case onScreen = "on-screen"
    /// The notification is seen, the message read.
    case seen
    /// The notification was removed, or the chat left.
    case removed
    case expired
    /// The user does not follow the topic any more, or it is not for the user.
    case unfollowed
    /// Another one is for the user in its place: one of the inbox, or a newer message.
    case replaced
    /// The user blocks the writer.
    case blocked
    /// The user is banned at the moment.
    case banned
    case muted
    case quietHours = "quiet-hours"
    case level
    case digest
    case throttled
    /// The device was removed, or registered again, meanwhile.
    case noDevice = "no-device"

    /// The reader's preferences do not let it interrupt.
    ///
    /// - Returns: nil for an update, which may replace what is shown.
    init?(_ silence: Silence) {
        switch silence {
        case .muted: self = .muted
        case .quietHours: self = .quietHours
        case .level: self = .level
        case .digest: self = .digest
        case .throttled: self = .throttled
        case .updated: return nil
        }
    }
}
