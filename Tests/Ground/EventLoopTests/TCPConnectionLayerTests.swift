import EventLoop
import Testing

@Suite struct TCPConnectionLayerTests {
    @Test func `bytes that are written in one turn are sealed once, in order, and opened at the other end`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                let (veil, other) = (Veil(), Veil())
                server.install(veil)
                client.install(other)
                for piece in [[1, 2], [3], [], [4, 5, 6]] as [[UInt8]] { client.write(piece) }
                pair.server.onReceived = { connection, bytes in
                    #expect(bytes == [1, 2, 3, 4, 5, 6])
                    #expect(other.sealed == [[1, 2, 3, 4, 5, 6]])
                    connection.write([7])
                }
                pair.client.onReceived = { [unowned loop] _, bytes in
                    #expect(bytes == [7])
                    loop.stop()
                }
            }
        }
    }

    @Test func `megabytes pass a slow reader, and the queue tells when it has fallen`() throws {
        let bytes = letters(17_000_000)
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                server.install(Veil())
                client.install(Veil())
                client.pauseReading()
                server.write(letters(16_000_000))
                after(50, on: loop) {
                    #expect(server.isCongested)
                    #expect(server.queuedBytes > 0)
                    // The socket is full at this point: the rest must pass the layer, too.
                    server.write(Array(bytes[16_000_000...]))
                    client.resumeReading()
                }
                pair.server.onDrained = { connection in connection.closeAfterFlush() }
                pair.client.onClosed = { [unowned loop] _ in
                    let isSame = pair.client.bytes == bytes
                    #expect(isSame)
                    #expect(pair.server.drainedCount == 1)
                    loop.stop()
                }
            }
        }
    }

    @Test(arguments: [(TurnCost.heavy, 2...8), (.light, 9...64)])
    func `a few connections with costly bytes are read in one turn, and all of them in the end`(
        cost: TurnCost, inOneTurn: ClosedRange<Int>
    ) throws {
        var turns: [UInt32: Int] = [:]
        var (costlyBytes, cheapBytes) = (0, 0)
        try withLoop { loop in
            let (costly, cheap, client) = (Recorder(), Recorder(), Recorder())
            costly.onReceived = { [unowned loop] _, bytes in
                costlyBytes += bytes.count
                turns[loop.turns, default: 0] += 1
                if costlyBytes == 200, cheapBytes == 200 { loop.stop() }
            }
            cheap.onReceived = { _, bytes in cheapBytes += bytes.count }
            var accepted = 0
            let listener = try TCPListener(on: loop, address: anyPort()) { connection in
                connection.delegate = accepted < 200 ? costly : cheap
                if accepted < 200, cost == .heavy { connection.install(Veil(isCostly: true)) }
                if accepted < 200, cost != .heavy { connection.turnCost = cost }
                accepted += 1
            }
            keep(listener, on: loop)
            let ends = try (0..<400).map { _ in
                try TCPConnection.connect(on: loop, to: listener.address, delegate: client)
            }
            when({ accepted == 400 && client.connectedCount == 400 }, on: loop) {
                for end in ends { end.write([1]) }
            }
        }
        #expect((costlyBytes, cheapBytes) == (200, 200))
        #expect(inOneTurn.contains(turns.values.max() ?? 0))
    }

    /// Keeps the thread's processor busy.
    private static func work(microseconds: Int) {
        let end = ThreadClock.microseconds + Int64(microseconds)
        while ThreadClock.microseconds < end {}
    }

    @Test
    func `one or two connections whose bytes turn out to be costly are read in a turn, with others between them`()
        throws
    {
        var turns: [UInt32: Int] = [:]
        var (costlyReads, readsBefore) = (0, -1)
        try withLoop { loop in
            let (costly, cheap, client) = (Recorder(), Recorder(), Recorder())
            costly.onReceived = { [unowned loop] _, _ in
                Self.work(microseconds: 8000)
                costlyReads += 1
                turns[loop.turns, default: 0] += 1
                if costlyReads == 40 { loop.stop() }
            }
            cheap.onReceived = { _, _ in readsBefore = costlyReads }
            var accepted = 0
            let listener = try TCPListener(on: loop, address: anyPort()) { connection in
                connection.delegate = accepted < 40 ? costly : cheap
                if accepted < 40 {
                    connection.turnCost = .light
                    connection.beginReadingSlowly()
                }
                accepted += 1
            }
            keep(listener, on: loop)
            let ends = try (0..<41).map { _ in
                try TCPConnection.connect(on: loop, to: listener.address, delegate: client)
            }
            when({ accepted == 41 && client.connectedCount == 41 }, on: loop) {
                for end in ends { end.write([1]) }
            }
        }
        #expect(costlyReads == 40)
        #expect((1...2).contains(turns.values.max() ?? 0))
        #expect((0...4).contains(readsBefore), "\(readsBefore) costly reads came first")
    }

    @Test func `a turn is long as soon as a part of one read has taken long, expected or not`() throws {
        var isLong: [Bool] = []
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                pair.server.onReceived = { [unowned loop] connection, _ in
                    isLong.append(loop.isTurnLong)
                    // Other threads may take a part of the time.
                    for microseconds in [0, 40_000] {
                        connection.measured { Self.work(microseconds: microseconds) }
                        isLong.append(loop.isTurnLong)
                    }
                    if isLong.count == 15 { loop.stop() } else { client.write(letters(2000)) }
                }
                client.write(letters(2000))
            }
        }
        // From the second read on, the duration is known.
        #expect(isLong == Array(repeating: [false, false, true], count: 5).flatMap { $0 })
    }

    @Test func `reads whose bytes cost much become short, and long again when they do not`() throws {
        var sizes: [Int] = []
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                pair.server.onReceived = { [unowned loop] _, bytes in
                    sizes.append(bytes.count)
                    if sizes.count <= 10 { Self.work(microseconds: 2000) }
                    if pair.server.bytes.count == 400_000 { loop.stop() }
                }
                client.write(letters(400_000))
            }
        }
        #expect(sizes[0] > 4096)
        #expect(sizes[9] <= sizes[0] / 32)
        #expect(sizes.dropFirst(10).contains { $0 >= 2 * sizes[9] })
    }

    @Test func `a connection that yields its turn goes on in later turns, sends what it writes, and reads again`()
        throws
    {
        var turns: [UInt32] = []
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                pair.server.onReceived = { connection, bytes in
                    #expect(bytes == (turns.isEmpty ? [1] : [2]))
                    if turns.isEmpty { connection.yieldTurn() } else { connection.write([9]) }
                }
                pair.server.onTurnCame = { [unowned loop] connection in
                    turns.append(loop.turns)
                    connection.write([UInt8(turns.count)])
                    // Bytes that arrive meanwhile must wait, too.
                    if turns.count == 1 { client.write([2]) }
                    if turns.count < 5 { connection.yieldTurn() }
                }
                pair.client.onReceived = { [unowned loop] _, bytes in
                    if bytes.last == 9 { loop.stop() }
                }
                pair.client.onClosed = { _ in #expect(pair.client.bytes == [1, 2, 3, 4, 5, 9]) }
                client.write([1])
            }
        }
        #expect(turns.count == 5)
        #expect(zip(turns, turns.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `the TLS close comes after the last bytes, and ends the other end in order`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                let veil = Veil()
                server.install(veil)
                client.install(Veil())
                server.write([1, 2, 3])
                server.closeAfterFlush()
                server.write([4])
                pair.client.onClosed = { _ in
                    #expect(pair.client.bytes == [1, 2, 3])
                    #expect(pair.client.error == nil)
                }
                pair.server.onClosed = { [unowned loop] _ in
                    #expect(pair.server.error == nil)
                    #expect(veil.hasSaidFarewell)
                    loop.stop()
                }
            }
        }
    }

    @Test func `a layer that breaks has its last word, and the connection closes`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                server.install(Veil())
                client.write([1, 2, Veil.nonsense])
                pair.server.onReceived = { _, bytes in #expect(bytes == [1, 2]) }
                pair.client.onClosed = { [unowned loop] _ in
                    #expect(pair.client.bytes == [Veil.farewell])
                    loop.stop()
                }
            }
        }
    }
}

/// The simplest possible layer: two bytes have a meaning at the end of bytes that are sent together, all others pass
/// unchanged.
private final class Veil: TCPConnectionLayer {
    static let farewell: UInt8 = 255
    static let nonsense: UInt8 = 254
    var sealed: [[UInt8]] = []
    /// Until the first bytes have come.
    var isCostly: Bool
    var hasSaidFarewell = false

    init(isCostly: Bool = false) { self.isCostly = isCostly }

    func receive(_ bytes: RawSpan, into plaintext: inout [UInt8]) -> TCPConnectionLayerVerdict {
        isCostly = false
        unsafe bytes.withUnsafeBytes { unsafe plaintext.append(contentsOf: $0) }
        switch plaintext.last {
        case Veil.farewell:
            plaintext.removeLast()
            return .hasEnded
        case Veil.nonsense:
            plaintext.removeLast()
            return .hasFailed
        default: return .goesOn
        }
    }

    func seal(_ plaintext: [UInt8], isLast: Bool) -> [UInt8] {
        if !plaintext.isEmpty { sealed.append(plaintext) }
        let isFarewell = isLast && !hasSaidFarewell
        hasSaidFarewell = hasSaidFarewell || isLast
        return isFarewell ? plaintext + [Veil.farewell] : plaintext
    }
}

/// Bytes without a meaning for the veil.
private func letters(_ count: Int) -> [UInt8] { Array(repeating: Array(0..<200), count: count / 200).flatMap { $0 } }
