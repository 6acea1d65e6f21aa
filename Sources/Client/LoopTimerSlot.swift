import EventLoop

/// A timer made when it is first needed, whose handler can be set after its owner is whole.
/// - Confinement: loop
final class LoopTimerSlot {
    /// Called when the time has come.
    var fire: (() -> Void)?
    private let loop: Loop
    private var timer: LoopTimer?
    private var isClosed = false

    init(on loop: Loop) {
        self.loop = loop
    }

    /// Starts, or restarts; has no effect after closing.
    func start(afterMilliseconds milliseconds: Int64) {
        guard !isClosed else { return }
        let timer = timer ?? LoopTimer(on: loop) { [weak self] in self?.fire?() }
        self.timer = timer
        timer.start(afterMilliseconds: milliseconds)
    }

    /// Stops; `start` works again.
    func stop() {
        timer?.stop()
    }

    /// Ends it for good; must be called before letting go.
    func close() {
        isClosed = true
        timer?.close()
        timer = nil
        fire = nil
    }
}

@available(*, unavailable)
extension LoopTimerSlot: Sendable {}
