import ArgumentParser
import Client
import Model

/// What happens to the server, or to the connections, before all come at once.
enum StormMode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The server is killed with SIGKILL and started again.
    case kill
    /// The server is stopped with SIGTERM and started again.
    case drain
    /// The server runs on: half of the clients go and come back at once.
    case reconnect
}

/// A storm to be.
struct StormPlan: Sendable {
    /// Feeders of one loop at most.
    static let feedersMax = 64

    let mode: StormMode
    let clients: Int
    let loops: Int
    /// Messages to each client while half of them are away.
    let rounds: Int
    let server: ServerAddress
    let mint: TokenMint

    func user(_ name: String) -> UserID? { UserID("storm-\(name)") }

    /// Whether a client goes before the storm. Every second one of each loop.
    func goesAway(_ index: Int) -> Bool { index / loops % 2 == 1 }

    /// Whether a client's connection outlives the storm.
    func staysConnected(_ index: Int) -> Bool { mode == .reconnect && !goesAway(index) }
}
