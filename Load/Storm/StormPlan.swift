import ArgumentParser
import Client
import Model

/// The event, at the server or at the connections, before all clients connect at once.
enum StormMode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The server is killed with SIGKILL and started again.
    case kill
    /// The server is stopped with SIGTERM and started again.
    case drain
    /// The server keeps running: half of the clients leave and come back at once.
    case reconnect
}

/// The plan of a storm.
struct StormPlan: Sendable {
    /// The most feeders of one loop.
    static let feedersMax = 64

    let mode: StormMode
    let clients: Int
    let loops: Int
    /// Messages to each client while half of the clients are away.
    let rounds: Int
    let server: ServerAddress
    /// The server to which the clients connect before the storm; nil for ``server``. Writers are at ``server`` all the time.
    var before: ServerAddress?
    let mint: TokenMint
    /// The beginning of all users' names.
    var name = "storm"

    func user(_ name: String) -> UserID? { UserID("\(self.name)-\(name)") }

    /// Whether a client leaves before the storm: every second one of each loop.
    func goesAway(_ index: Int) -> Bool { index / loops % 2 == 1 }

    /// Whether a client's connection stays open during the storm.
    func staysConnected(_ index: Int) -> Bool { mode == .reconnect && !goesAway(index) }
}
