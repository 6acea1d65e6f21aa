import EventLoop

/// A timer that is made when it is first needed; its handler can be set when its owner is initialised.
/// - Confinement: loop
final class LoopTimerSlot {
    /// Called when the time is over.
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

    /// Ends the timer; must be called before releasing the slot.
    func close() {
        isClosed = true
        timer?.close()
        timer = nil
        fire = nil
    }
}

@available(*, unavailable)
extension LoopTimerSlot: Sendable {}
