import Model

/// The phase of a session; each case carries the data of that phase.
/// - Confinement: any
enum SessionPhase: Sendable, Equatable {
    case idle
    case waiting(Waiting)
    /// Waiting until the system has a network.
    case offline
    case connecting(until: Int64)
    case waitingForHello(id: Int64, until: Int64)
    case online(Online)
    case disconnecting
    case ended(ClientSessionEnd)

    /// The time until the next attempt.
    struct Waiting: Sendable, Equatable {
        let until: Int64
        /// Whether the server has asked for it, so that no hint shortens it.
        let isAnnounced: Bool
    }

    /// A connection whose `hello` was accepted.
    struct Online: Sendable, Equatable {
        /// A new token on the same connection.
        enum Renewal: Sendable, Equatable { case asked, sent(id: Int64) }

        let epoch: Epoch
        var isLive = false
        /// Whether `reset` has come, but not yet the `live` after it: until then the cursor does not change.
        var isReset = false
        var silenceMaxMilliseconds: Int64
        var renewal: Renewal?
        /// The position that the store must have before the device has everything; nil when the events suffice.
        var fetchedAt: Position?

        /// All missed events have come, or the state is to be fetched instead.
        mutating func wentLive() { (isLive, isReset) = (true, false) }
    }

    /// The connection, once its `hello` is accepted. Setting it changes nothing in another phase.
    var online: Online? {
        get { if case .online(let online) = self { online } else { nil } }
        set { if case .online = self, let newValue { self = .online(newValue) } }
    }

    var isEnded: Bool { if case .ended = self { true } else { false } }

    /// Whether there is a connection, or one is made.
    var hasTransport: Bool {
        switch self {
        case .connecting, .waitingForHello, .online: true
        case .idle, .waiting, .offline, .disconnecting, .ended: false
        }
    }

    /// When the phase ends by itself; nil when it does not.
    var until: Int64? {
        switch self {
        case .waiting(let waiting): waiting.until
        case .connecting(let until), .waitingForHello(_, let until): until
        case .idle, .offline, .online, .disconnecting, .ended: nil
        }
    }
}
