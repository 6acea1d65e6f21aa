/// The clock of a device, so that a test can be years off.
/// - Confinement: any
struct ClientClock: Sendable {
    /// Milliseconds of a clock that only goes forward.
    let ticks: @Sendable () -> Int64

    /// The system's.
    static let system: ClientClock = {
        let start = ContinuousClock.now
        return ClientClock { (ContinuousClock.now - start).milliseconds }
    }()
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
