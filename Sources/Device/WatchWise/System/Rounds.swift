/// Does something again and again, and notices that the machine slept meanwhile.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Rounds {
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - interval: The pause between two rounds.
    ///   - work: Called with whether the machine slept since the last round.
    init(
        every interval: Duration, _ clock: ClientClock, work: @escaping @WatchWiseActor (_ hasSlept: Bool) -> Void
    ) {
        let most = interval.components.seconds * 1000 + 14_000
        task = Task {
            var last = clock.ticks()
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                if Task.isCancelled { return }
                let now = clock.ticks()
                work(now - last > most)
                last = now
            }
        }
    }

    /// No round begins any more.
    func end() { task.cancel() }
    deinit { task.cancel() }
}
