import CUV

/// Work that gathers during a turn and is done once at its end, such as framing what a session was sent.
/// - Confinement: loop
package protocol TurnEndHook: AnyObject {
    /// Called at the end of the turn in which it was registered, before corked writes are flushed.
    func turnEnded()
}

/// What stands between the callbacks of a turn and the next poll: hooks, then the flush of every corked connection.
/// - Confinement: loop
@safe
final class TurnEnd {
    /// Hooks that register further hooks are followed this often in one turn; the rest waits for the next.
    private static let hookRoundsMax = 8
    /// An array of connections that a burst made larger than this is given back to the allocator.
    private static let connectionsKeptMax = 1 << 18

    var cork = Cork()
    var turnstile = Turnstile<TCPConnection>()
    private var hooks: [any TurnEndHook] = []
    private var runningHooks: [any TurnEndHook] = []
    /// Connections that have something to flush in this turn, and the empty array of the turn before.
    private var corked: [TCPConnection] = []
    private var flushed: [TCPConnection] = []
    /// Connections whose queue fell to the low mark in the flush; notified in the next turn: a flush calls nobody.
    private var drained: [TCPConnection] = []
    /// Connections that gave way and whose turn is the next.
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

    /// Hangs the hooks into the loop. The prepare handle also keeps the loop running until it is stopped.
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

    /// Notes that a connection is flushed at the end of this turn; it does so with its first chunk.
    func addCorked(_ connection: TCPConnection) {
        corked.append(connection)
    }

    /// Notes that a connection's delegate is notified in the next turn.
    func addDrained(_ connection: TCPConnection) {
        drained.append(connection)
    }

    /// Notes that a connection goes on next turn: what it writes then leaves at that turn's end.
    func addYielding(_ connection: TCPConnection) {
        yielding.append(connection)
    }

    /// Lets go of everything, after the loop ended.
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
        for connection in connections { connection.flushCork() }
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
        for connection in drained { connection.tellDrained() }
        for connection in yielding { connection.goOn() }
    }
}

@available(*, unavailable)
extension TurnEnd: Sendable {}
