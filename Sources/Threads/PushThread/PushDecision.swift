import Model

/// Whether a user gets a push now.
///
/// - Confinement: any
enum PushDecision: Sendable {
    case push(PushMaterial)
    case skip(PushSkip)
    /// In quiet hours a message waits for their end.
    case wait(until: Timestamp)
}

/// The facts about a notification and one of its readers that decide whether it is still to be pushed.
///
/// - Confinement: any
struct PushFacts: Sendable, Hashable {
    /// Whether the notification still stands.
    var isThere = true
    var isExpired = false
    var isSeen = false
    /// Whether it is in a stream that the user reads, and did so when it was written.
    var isReadable = true
    /// Whether another one is for the user in its place.
    var isApart = false
    /// Why it does not interrupt this reader.
    var silence: Silence?
    /// Whether it replaces what is on the screen, and rings nobody.
    var isQuietUpdate = false

    /// The first reason against the push.
    var skip: PushSkip? {
        if !isThere { return .removed }
        if isExpired { return .expired }
        if isSeen { return .seen }
        if !isReadable { return .unfollowed }
        if isApart { return .replaced }
        guard let silence else { return nil }
        // A muted notification that is shown already may be replaced: it makes no sound.
        if isQuietUpdate, silence == .muted || silence == .level { return nil }
        return PushSkip(silence)
    }
}
