import EventLoop
import Model
import ThreadMessages

/// Brings pages of the log from the readers to the sessions of one loop: at once, in a later turn when this one has
/// written much, or after the commit of which a page is ahead.
///
/// - Confinement: loop
final class PageTurns {
    private let turn: TurnLoad
    private let deliver: (ConnectionAddress, SessionReading) -> Int?
    private var late = LatePages<SessionReading>()
    private var timer: LoopTimer?
    /// Pages that wait until the loop has delivered as much.
    private var held: [(address: ConnectionAddress, reading: SessionReading)] = []

    /// - Parameter deliver: gives a page to its session; returns the bytes that were written, nil when the session is gone.
    init(on loop: Loop, _ turn: TurnLoad, deliver: @escaping (ConnectionAddress, SessionReading) -> Int?) {
        self.turn = turn
        self.deliver = deliver
        timer = LoopTimer(on: loop) { [unowned self] in deliverLate() }
    }

    /// A further page of the log has come from a reader.
    func arrived(_ reading: SessionReading, for address: ConnectionAddress) {
        if late.mayWrite {
            write(reading, to: address)
        } else {
            late.append(address, reading)
            timer?.start(afterMilliseconds: 0)
        }
    }

    /// A page is ahead of the commits: it waits for the next one.
    func hold(_ reading: SessionReading, for address: ConnectionAddress) { held.append((address, reading)) }

    /// Delivers the pages that wait for the commit which was just delivered.
    func deliverHeld() {
        guard !held.isEmpty else { return }
        let pages = held
        held = []
        for (address, reading) in pages { _ = deliver(address, reading) }
    }

    /// A turn that wrote pages is over.
    func beginTurn() { late.beginTurn() }

    /// Delivers the pages that waited for this turn, as many as fit.
    private func deliverLate() {
        while let (address, reading) = late.takeNext() { write(reading, to: address) }
        if !late.isEmpty { timer?.start(afterMilliseconds: 0) }
    }

    private func write(_ reading: SessionReading, to address: ConnectionAddress) {
        guard let bytes = deliver(address, reading) else { return }
        late.wrote(bytes)
        turn.isHeavy = true
    }

    /// The loop ends.
    func close() {
        timer?.close()
        timer = nil
    }
}

@available(*, unavailable)
extension PageTurns: Sendable {}
