import Authentication
import ClientProtocol
import EventLoop
import Execution
import Model
import Quotas
import Services
import Telemetry
import ThreadMessages

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

    /// Checks whether all that is to be watched is open to anyone.
    init(checking watches: [WatchedPath]) {
        useCase = CheckOpened(watches)
        weight = watches.reduce(0) { $0 + WatchCommand(path: $1).weight }
        user = nil
    }

    /// Asks a reader. The strangers of one network pay together, as the sessions of a user do.
    func begin(at door: LoopDoor, for connection: ConnectionAddress, of client: IPAddress) throws(Refusal) {
        let peers = door.settings.peers
        let account = user.map(peers.users.find) ?? peers.strangers.find(client.network)
        if let wait = account.take(weight, at: door.loop.now) {
            door.settings.refused(.pace, client)
            throw user == nil ? Refusal.tooMuchOfStrangers(wait) : Refusal.tooMuchWork(wait)
        }
        try door.orders.admit(Limits.orderBytes, for: account)
        let now = door.settings.clock.now()
        door.orders.read(.useCase(useCase, .server, at: now, .request), for: connection, account)
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
