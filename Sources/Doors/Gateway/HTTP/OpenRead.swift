import Authentication
import ClientProtocol
import EventLoop
import Execution
import ThreadMessages
import Model
import Quotas
import Services
import Telemetry
import Wire

/// A read of documents over HTTP by a client that is no administrator, and may have no token.
///
/// - Confinement: any
struct OpenRead: Sendable {
    let useCase: any ReadUseCase
    /// Its cost.
    let weight: Int
    /// The user of its token; nil without a token.
    let user: UserID?

    /// - Parameters:
    ///   - useCase: that reads what lies at the path.
    ///   - claims: of the token; nil where there is none.
    init(_ useCase: some ReadUseCase, of path: WatchedPath, weight: Int, _ claims: Claims?) {
        let refusal =
            claims == nil
            ? Refusal(.unauthenticated, "an admin token is required in the Authorization header")
            : Refusal.lacking(.read)
        self.useCase = ReadOpened(useCase, of: path, otherwise: refusal)
        self.weight = weight
        user = claims?.subject
    }
}

extension HTTPConversation {
    /// Reads what the rules open to anyone. The strangers of one network pay together, as the sessions of a user do.
    func begin(_ read: OpenRead) throws(Refusal) {
        if let wait = pace.take(read.weight, at: door.loop.now) { throw Refusal.tooFast(wait) }
        try ask(read.useCase, weight: read.weight, of: read.user)
    }

    /// Begins a stream. Where no token is shown, a reader checks first whether all that is to be watched is open to anyone.
    func begin(_ events: EventsRequest) throws(Refusal) {
        guard let request else { return }
        guard events.claims == nil else { return stream(events, to: request.head.version) }
        openEvents = events
        let weight = events.watches.reduce(0) { $0 + WatchCommand(path: $1).weight }
        try ask(CheckOpened(events.watches), weight: weight, of: nil)
    }

    /// All of it is open to anyone.
    func beginOpenEvents() {
        guard let request, let events = openEvents else { return }
        openEvents = nil
        stream(events, to: request.head.version)
    }

    /// - Parameter user: whose account pays; nil for the strangers of the network.
    private func ask(_ useCase: any ReadUseCase, weight: Int, of user: UserID?) throws(Refusal) {
        let peers = door.settings.peers
        let account = user.map(peers.users.find) ?? peers.strangers.find(connection.client.network)
        if let wait = account.take(weight, at: door.loop.now) {
            door.settings.refused(.pace, connection.client)
            throw user == nil ? Refusal.tooMuchOfStrangers(wait) : Refusal.tooMuchWork(wait)
        }
        try door.orders.admit(Limits.orderBytes, for: account)
        isReading = true
        let now = door.settings.clock.now()
        door.orders.read(.useCase(useCase, .server, at: now, .request), for: connection.address, account)
    }
}

extension Refusal {
    /// Requests without a token have caused too much work.
    fileprivate static func tooMuchOfStrangers(_ waitMilliseconds: Int64) -> Refusal {
        Refusal(
            .rateLimited, "requests without a token from this network cause too much work",
            retryAfterMilliseconds: waitMilliseconds)
    }
}
