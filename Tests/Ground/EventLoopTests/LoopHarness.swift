import EventLoop
import Testing

/// Runs a loop on the calling thread until the test stops it, or thirty seconds have passed.
func withLoop(_ body: (Loop) throws -> Void) throws {
    let loop = try Loop()
    let watchdog = LoopTimer(on: loop) { [unowned loop] in
        Issue.record("the loop was not stopped within thirty seconds")
        loop.stop()
    }
    watchdog.start(afterMilliseconds: 30_000)
    defer { withExtendedLifetime(watchdog) {} }
    do {
        try body(loop)
    } catch {
        loop.stop()
        loop.run()
        throw error
    }
    loop.run()
}

/// Keeps an object until the loop has ended and closed it.
func keep(_ object: AnyObject, on loop: Loop) {
    do {
        _ = try Mailbox<Int>(on: loop) { _ in withExtendedLifetime(object) {} }
    } catch {
        Issue.record(error)
    }
}

/// Calls back once; the loop's end closes the timer.
@discardableResult
func after(_ milliseconds: Int64, on loop: Loop, _ body: @escaping () -> Void) -> LoopTimer {
    let timer = LoopTimer(on: loop, fire: body)
    timer.start(afterMilliseconds: milliseconds)
    keep(timer, on: loop)
    return timer
}

/// Calls back once, as soon as something has happened. A test waits with it instead of for a fixed time, which a busy
/// machine may need for its setup alone: the loop then runs the timer before it polls for the first time.
///
/// The loop's end closes the timer, if it has not happened by then.
func when(_ hasHappened: @escaping () -> Bool, on loop: Loop, _ body: @escaping () -> Void) {
    var timer: LoopTimer?
    timer = LoopTimer(on: loop) {
        guard hasHappened() else { return }
        timer?.close()
        timer = nil
        body()
    }
    timer?.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
}

/// Calls back once, as soon as nobody listens on an address. A closed socket may listen a moment longer: a process that
/// another test starts has a copy of it until its program begins.
func whenFree(_ address: SocketAddress, on loop: Loop, _ body: @escaping () -> Void) {
    when({ (try? TCPListener.checkFree(address)) != nil }, on: loop, body)
}

/// The address of a port the kernel chooses.
func anyPort(on host: String = "127.0.0.1") throws -> SocketAddress {
    try SocketAddress(host: host, port: 0)
}

/// A delegate that keeps all events and calls the closures of the test.
final class Recorder: TCPConnectionDelegate {
    var bytes: [UInt8] = []
    var connectedCount = 0
    var drainedCount = 0
    var closedCount = 0
    var error: UVError?
    var onConnected: ((TCPConnection) -> Void)?
    var onReceived: ((TCPConnection, [UInt8]) -> Void)?
    var onDrained: ((TCPConnection) -> Void)?
    var onTurnCame: ((TCPConnection) -> Void)?
    var onClosed: ((TCPConnection) -> Void)?

    func connected(on connection: TCPConnection) {
        connectedCount += 1
        onConnected?(connection)
    }

    func received(_ bytes: RawSpan, on connection: TCPConnection) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.byteCount)
        for index in 0..<bytes.byteCount { copy.append(bytes.byte(at: index)) }
        self.bytes += copy
        onReceived?(connection, copy)
    }

    func drained(on connection: TCPConnection) {
        drainedCount += 1
        onDrained?(connection)
    }

    func turnCame(on connection: TCPConnection) { onTurnCame?(connection) }

    func closed(on connection: TCPConnection, error: UVError?) {
        closedCount += 1
        self.error = error
        let told = onClosed
        // The closures hold the recorder.
        (onConnected, onReceived, onDrained, onTurnCame, onClosed) = (nil, nil, nil, nil, nil)
        told?(connection)
    }
}

extension RawSpan {
    /// One byte, bounds checked.
    fileprivate func byte(at index: Int) -> UInt8 {
        precondition(index < byteCount)
        return unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}

/// A connected pair on one loop: the accepted end and the connecting end, each with its recorder.
final class Pair {
    let server = Recorder()
    let client = Recorder()
    private(set) var accepted: TCPConnection?
    private var listener: TCPListener?

    /// Makes the pair and calls back once both ends stand.
    static func connect(
        on loop: Loop,
        from local: SocketAddress? = nil,
        ready: @escaping (Pair, TCPConnection, TCPConnection) -> Void
    ) throws {
        let pair = Pair()
        let listener = try TCPListener(on: loop, address: try anyPort()) { connection in
            connection.delegate = pair.server
            pair.accepted = connection
        }
        pair.listener = listener
        pair.client.onConnected = { [unowned loop] outgoing in
            pair.client.onConnected = nil
            when({ pair.accepted != nil }, on: loop) {
                listener.close()
                if let accepted = pair.accepted { ready(pair, accepted, outgoing) }
            }
        }
        _ = try TCPConnection.connect(on: loop, to: listener.address, from: local, delegate: pair.client)
    }
}

/// The length of this run is prime, so that no power of two hides a moved piece.
private let run: [UInt8] = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8) &* 7) }

/// Bytes in which a lost, repeated or moved piece is noticed.
func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var start = seed % run.count
    while bytes.count < count {
        let end = min(run.count, start + count - bytes.count)
        bytes += run[start..<end]
        start = 0
    }
    return bytes
}
