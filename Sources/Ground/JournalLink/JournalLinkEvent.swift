/// A change of the connection to the journal.
/// - Confinement: any
package enum JournalLinkEvent: Sendable, Hashable, CustomStringConvertible {
    /// A connection is open: to which server, at which address.
    case connected(JournalServer, JournalAddress)
    /// There is no connection, for this reason; the client tries again until it is closed. Reported again when the
    /// reason has changed.
    case disconnected(reason: String)
    /// A server does not fit, as a sentence with its name; the other servers are tried. Once for each sentence.
    case unfit(String)
    /// libnats or the server reports trouble, for example a subject that the user may not use; the connection goes on.
    case trouble(String)

    /// A phrase for logs.
    package var description: String {
        switch self {
        case .connected(let server, let address):
            "connected to \(server.name), version \(server.version), at \(address)"
        case .disconnected(let reason): "not connected: \(reason)"
        case .unfit(let sentence), .trouble(let sentence): sentence
        }
    }
}

/// A message that is not kept: a signal between nodes.
/// - Confinement: any
package struct JournalSignal: Sendable, Hashable {
    /// The whole subject.
    package let subject: String
    /// Where to answer, if the sender waits for that.
    package let reply: String?
    /// The bytes.
    package let bytes: [UInt8]

    /// Makes a signal.
    package init(subject: String, reply: String? = nil, bytes: [UInt8]) {
        self.subject = subject
        self.reply = reply
        self.bytes = bytes
    }
}

/// Counts of a client, for metrics.
/// - Confinement: any
package struct JournalCounts: Sendable, Hashable {
    /// Connections that were opened.
    package internal(set) var connections = 0
    /// Appends whose outcome was `unknown`.
    package internal(set) var unknownOutcomes = 0
    /// Signals that were not sent: there was no connection, or too much waited for it.
    package internal(set) var droppedPublications = 0

    /// Nothing has happened yet.
    package init() {}
}
