import Admin
import ClientProtocol
import EventLoop
import Execution
import Model
import Quotas
import Telemetry
import ThreadMessages

extension OpenRead {
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
        door.orders.read(
            .useCase(useCase, .server, at: now, .request), for: connection, weight: weight, account)
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
