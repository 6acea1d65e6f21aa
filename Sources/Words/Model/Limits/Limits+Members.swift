/// Bounds of a node that is one of several.
extension Limits {
    /// How long a session waits for a position that its client has seen on another node: a node that is ready lags by no
    /// more, see `lag-ready`.
    package static let headWaitMilliseconds: Int64 = 5_000
    /// How long a node may be without the journal before its sessions go to other nodes: longer than the journal takes to
    /// choose another leader, which cuts off all nodes alike.
    package static let cutOffMilliseconds: Int64 = 15_000
    /// How long after an entry of its own a node gives answers that only a leading node may give.
    package static let ledMilliseconds: Int64 = 1_000
    /// Over how many seconds the sessions of a node that lags too much end.
    package static let leavingSeconds = 5
}
