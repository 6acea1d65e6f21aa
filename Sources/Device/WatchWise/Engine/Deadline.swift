/// Calls a function at a time, which may be changed.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Deadline {
    private let clock: ClientClock
    private var task: Task<Void, Never>?
    private var at: Int64?
    var fire: () -> Void = {}

    init(_ clock: ClientClock) { self.clock = clock }

    /// Sets the time, unless one is set.
    func setUnlessSet(_ time: Int64) { if at == nil { set(time) } }

    /// Sets the time in ticks of the clock; nil is never.
    func set(_ time: Int64?) {
        guard time != at else { return }
        task?.cancel()
        at = time
        guard let time else { return }
        let wait = max(0, time - clock.ticks())
        task = Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(wait))
            guard !Task.isCancelled, let self else { return }
            at = nil
            fire()
        }
    }
}
