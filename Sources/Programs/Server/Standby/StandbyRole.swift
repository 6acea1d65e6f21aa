import ThreadMessages

/// The part of a server in a pair of primary and standby. It stands where a node of a cluster has its `ClusterThread`.
///
/// - Confinement: loop
protocol StandbyRole: AnyObject {
    func take(_ message: ClusterMessage)
    func close()
}

extension StandbyRole {
    /// Takes a batch of messages.
    ///
    /// - Returns: whether the thread must end.
    func receive(_ batch: [ClusterMessage]) -> Bool {
        for message in batch {
            if case .stop = message {
                close()
                return true
            }
            take(message)
        }
        return false
    }
}
