import CUV

/// Work that is collected during a turn and done once at its end, for example framing a session's output.
/// - Confinement: loop
package protocol TurnEndHook: AnyObject {
    /// Called at the end of the turn in which it was registered, before corked writes are flushed.
    func turnEnded()
}

/// The work between the callbacks of a turn and the next poll: hooks, then the flush of every corked connection.
/// - Confinement: loop
@safe
final class TurnEnd {
    /// How often hooks may register further hooks in one turn; the rest waits for the next turn.
    private static let hookRoundsMax = 8
    /// If a burst makes the array of connections larger than this, its memory is freed.
    private static let connectionsKeptMax = 1 << 18

    var cork = Cork()
    var turnstile = Turnstile<TCPConnection>()
    private var hooks: [any TurnEndHook] = []
    private var runningHooks: [any TurnEndHook] = []
    /// Connections that are flushed at the end of this turn, and the empty array of the last turn.
    private var corked: [TCPConnection] = []
    private var flushed: [TCPConnection] = []
    /// Connections whose queue fell to the low mark during the flush. They are notified in the next turn, because a
    /// flush calls no delegate.
    private var drained: [TCPConnection] = []
    /// Connections that yielded and continue in the next turn.
    private var yielding: [TCPConnection] = []
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let check: UnsafeMutablePointer<uv_check_t>
    private let idle: UnsafeMutablePointer<uv_idle_t>
    private unowned var loop: Loop?

    init() {
        unsafe prepare = .allocate(capacity: 1)
        unsafe check = .allocate(capacity: 1)
        unsafe idle = .allocate(capacity: 1)
    }

    deinit {
        unsafe prepare.deallocate()
        unsafe check.deallocate()
        unsafe idle.deallocate()
    }

    /// Attaches the hooks to the loop. The prepare handle also keeps the loop running until it is stopped.
    func start(on loop: Loop) {
        self.loop = loop
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe uv_prepare_init(loop.handle, prepare)
        unsafe uv_check_init(loop.handle, check)
        unsafe uv_idle_init(loop.handle, idle)
        unsafe prepare.pointee.data = data
        unsafe check.pointee.data = data
        unsafe idle.pointee.data = data
        unsafe uv_prepare_start(prepare) { handle in
            unsafe owner(of: handle?.pointee.data, as: TurnEnd.self)?.beforePoll()
        }
        unsafe uv_check_start(check) { handle in
            unsafe owner(of: handle?.pointee.data, as: TurnEnd.self)?.afterPoll()
        }
    }

    func add(_ hook: any TurnEndHook) {
        hooks.append(hook)
    }

    /// Registers a connection for the end of the turn, with its first chunk.
    func addCorked(_ connection: TCPConnection) {
        corked.append(connection)
    }

    /// Notes that a connection's delegate must be notified in the next turn.
    func addDrained(_ connection: TCPConnection) {
        drained.append(connection)
    }

    /// Notes that a connection continues in the next turn: its writes then leave at the end of that turn.
    func addYielding(_ connection: TCPConnection) {
        yielding.append(connection)
    }

    /// Runs work and measures its time, which counts for this turn.
    /// - Returns: its microseconds.
    func measure(expected: TurnCost, _ body: () -> Void) -> Int64 {
        let began = ThreadClock.microseconds
        turnstile.beginMeasuring(at: began)
        body()
        let now = ThreadClock.microseconds
        turnstile.endMeasuring(microseconds: now - began, at: now, expected: expected)
        return now - began
    }

    /// Releases everything, after the loop has ended.
    func discard() {
        hooks = []
        corked = []
        flushed = []
        drained = []
        yielding = []
        cork = Cork()
        turnstile = Turnstile()
        loop = nil
    }

    private func beforePoll() {
        loop?.preconditionOnLoop()
        runHooks()
        flush()
        loop?.onTurnFlushed?()
        loop?.turns &+= 1
        for (place, connection) in turnstile.nextTurn().enumerated() { connection.admit(isAssured: place == 0) }
        // An active idle handle keeps the poll from waiting.
        if !hooks.isEmpty || !drained.isEmpty || !yielding.isEmpty || !turnstile.isEmpty {
            unsafe uv_idle_start(idle) { _ in }
        }
    }

    private func runHooks() {
        var round = 0
        while !hooks.isEmpty, round < TurnEnd.hookRoundsMax {
            swap(&hooks, &runningHooks)
            for hook in runningHooks { hook.turnEnded() }
            runningHooks.removeAll(keepingCapacity: true)
            round += 1
        }
    }

    private func flush() {
        var connections: [TCPConnection] = flushed
        flushed = []
        swap(&connections, &corked)
        for connection in connections { TCPSender(connection).flush() }
        precondition(corked.isEmpty, "a flush must not write: a cork would survive the turn")
        connections.removeAll(keepingCapacity: connections.capacity <= TurnEnd.connectionsKeptMax)
        flushed = connections
        cork.clear()
    }

    private func afterPoll() {
        unsafe uv_idle_stop(idle)
        let (drained, yielding) = (self.drained, self.yielding)
        self.drained = []
        self.yielding = []
        for connection in drained { TCPSender(connection).notifyDrained() }
        for connection in yielding { connection.goOn() }
    }
}

@available(*, unavailable)
extension TurnEnd: Sendable {}
