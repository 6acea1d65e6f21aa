package import Model

/// Messages to the thread that sends pushes.
///
/// - Confinement: any
package enum PushMessage: Sendable {
    /// A commit changed something about pushes. The first one comes when the writer has started.
    case look
    /// A loop's answer to a question.
    case looking(PushLooking)
    /// The answer of all other nodes to a question; on a member of a cluster only.
    case lookedElsewhere(number: Int64, [LookingSession])
    /// Whether this node sends pushes; on a member of a cluster the one that leads does. See ``Mailboxes/tellDuty(isOn:)``.
    case duty(isOn: Bool)
    /// Push a text now, and answer the connection with what the push services say.
    case tryOut(PushTrial, ConnectionAddress)
    /// Read the files with the keys of the push services again.
    case reload
    case stop
}

/// A text that goes to every device of a user at once, because an operator asks whether pushes arrive.
///
/// - Confinement: any
package struct PushTrial: Sendable, Hashable {
    package let user: UserID
    package let title: String
    /// Empty when there is none.
    package let body: String
    package let level: InterruptionLevel

    package init(user: UserID, title: String, body: String, level: InterruptionLevel) {
        self.user = user
        self.title = title
        self.body = body
        self.level = level
    }
}

/// The question which of some users look at a device now. Every loop answers it with one ``PushLooking``.
///
/// - Confinement: any
package struct PushQuestion: Sendable {
    /// The answers repeat it.
    package let number: Int64
    package let users: [StreamID]

    /// - Parameter users: without repeats, in the order of their numbers.
    package init(number: Int64, users: [StreamID]) {
        self.number = number
        self.users = users
    }
}

/// The sessions that one loop has of the users of a question.
///
/// - Confinement: any
package struct PushLooking: Sendable {
    /// Of the question.
    package let number: Int64
    /// The number of the loop that answers.
    package let loop: Int
    /// In the order of the users; empty when none of them is connected to this loop.
    package let sessions: [LookingSession]

    package init(number: Int64, loop: Int, sessions: [LookingSession]) {
        self.number = number
        self.loop = loop
        self.sessions = sessions
    }
}

/// A session as the sender of pushes sees it.
///
/// - Confinement: any
package struct LookingSession: Sendable, Hashable {
    package let user: StreamID
    /// The device's id.
    package let device: String
    /// The newest position that the session has acknowledged since its `hello`; zero when none.
    package let acked: Position
    /// Whether a person looks at the device, as `focus` said last; nil when the session never said it.
    package let focus: Bool?
    /// The chat that is on the screen; only where somebody looks.
    package let chat: ChatID?

    package init(user: StreamID, device: String, acked: Position, focus: Bool?, chat: ChatID?) {
        self.user = user
        self.device = device
        self.acked = acked
        self.focus = focus
        self.chat = chat
    }

    /// Whether a person looks at the device, as far as an entry at a position tells. A client that never says `focus`
    /// acknowledges what it shows, so it is looked at when it has acknowledged the entry.
    package func isLookedAt(for position: Position) -> Bool { focus ?? (acked >= position) }
}
