package import Model

/// A message of a node to the others that nobody keeps: a lost one is mended by a later one, or is worth no repetition.
///
/// - Confinement: any
package enum NodeSignal: Sendable, Hashable {
    /// The users of the node.
    case presence(NodePresence)
    /// An event outside of the log, for the sessions of these inboxes.
    case ephemeral([StreamID], EncodedEvent)
    /// A device has connected to the node.
    case claim(DeviceKey, number: Int64)
    /// The claim of a session is older than this one of the node: if the session is the later one all the same, it needs a new
    /// number.
    case outdated(DeviceKey, by: Int64)
    /// The node that sends pushes asks which users look.
    case question(NodeQuestion)
    /// The answer to such a question.
    case answer(NodeAnswer)
}

/// News of the users of one node.
///
/// - Confinement: any
package struct NodePresence: Sendable, Hashable {
    /// The subject of a message.
    ///
    /// - Confinement: any
    package enum Content: Sendable, Hashable {
        /// Users whose sessions have become more or fewer; with none, the node says only that it is there.
        case changes([UserSessions])
        /// All users of the node in these buckets of a ``PresenceTable``.
        case list(buckets: Range<Int>, [UserSessions])
        /// The node ends, and its sessions with it.
        case goodbye
    }

    /// The run of the node's process: the milliseconds since 1970 at which it began.
    package let boot: Int64
    /// One more than that of the one before in the same run: an earlier one that comes later is not used.
    package let number: Int64
    /// When it was said, by the node's clock: users without sessions had their last one until then.
    package let at: Timestamp
    package let content: Content

    package init(boot: Int64, number: Int64, at: Timestamp, _ content: Content) {
        self.boot = boot
        self.number = number
        self.at = at
        self.content = content
    }
}

/// How many sessions a user has on one node.
///
/// - Confinement: any
package struct UserSessions: Sendable, Hashable {
    package let person: Person
    /// Zero for a user whose last session has ended.
    package let count: Int

    package init(_ person: Person, _ count: Int) {
        self.person = person
        self.count = count
    }
}

/// The question which of some users look at a device of some nodes.
///
/// - Confinement: any
package struct NodeQuestion: Sendable, Hashable {
    /// The run of the process that asks, and its number of the question: the answers repeat them.
    package let boot: Int64
    package let number: Int64
    /// The names of the nodes that are to answer: the ones with sessions of the users.
    package let nodes: [String]
    package let users: [StreamID]

    package init(boot: Int64, number: Int64, nodes: [String], users: [StreamID]) {
        self.boot = boot
        self.number = number
        self.nodes = nodes
        self.users = users
    }
}

/// The answer to a ``NodeQuestion``.
///
/// - Confinement: any
package struct NodeAnswer: Sendable, Hashable {
    /// The node that has asked.
    package let asker: String
    package let boot: Int64
    package let number: Int64
    package let sessions: [LookingSession]

    package init(to asker: String, boot: Int64, number: Int64, sessions: [LookingSession]) {
        self.asker = asker
        self.boot = boot
        self.number = number
        self.sessions = sessions
    }
}
