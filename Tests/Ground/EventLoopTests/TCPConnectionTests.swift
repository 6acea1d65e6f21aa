import EventLoop
import Testing

@Suite struct TCPConnectionTests {
    @Test func `written bytes come back from an echo`() throws {
        let sent = pattern(10_000)
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, _, client in
                pair.server.onReceived = { connection, bytes in connection.write(bytes) }
                pair.client.onReceived = { [unowned loop] _, _ in
                    if pair.client.bytes.count == sent.count {
                        #expect(pair.client.bytes == sent)
                        loop.stop()
                    }
                }
                client.write(sent)
            }
        }
    }

    @Test func `a thousand small writes in one turn are one write to the kernel`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, _ in
                let before = loop.writeCalls
                let chunks = (0..<1000).map { pattern(1 + $0 % 60, seed: $0) }
                for chunk in chunks { server.write(chunk) }
                let all = chunks.flatMap(\.self)
                #expect(server.queuedBytes == all.count)
                pair.client.onReceived = { [unowned loop] _, _ in
                    guard pair.client.bytes.count == all.count else { return }
                    #expect(pair.client.bytes == all)
                    #expect(loop.writeCalls - before == 1)
                    #expect(server.queuedBytes == 0)
                    loop.stop()
                }
            }
        }
    }

    @Test func `bytes that are written at once leave within the turn, after the bytes that were written before`() throws
    {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, _ in
                let before = loop.writeCalls
                server.writeAtOnce([1])
                #expect(server.queuedBytes == 0)
                #expect(loop.writeCalls - before == 1)
                server.write([2])
                server.writeAtOnce([3])
                #expect(server.queuedBytes == 2)
                pair.client.onReceived = { [unowned loop] _, _ in
                    guard pair.client.bytes.count == 3 else { return }
                    #expect(pair.client.bytes == [1, 2, 3])
                    #expect(loop.writeCalls - before == 2)
                    loop.stop()
                }
            }
        }
    }

    /// Sizes of chunks that are written repeatedly: large ones are lent, small ones gathered, and the border is 16 KiB.
    enum Mix: String, CaseIterable {
        case large, largeAndByte, smallBetweenLarge, around16KiB, manyGathered, tiny

        var sizes: [Int] {
            switch self {
            case .large: [1_000_000]
            case .largeAndByte: [65_536, 1, 65_536]
            case .smallBetweenLarge: [100, 20_000, 100, 20_000, 100]
            case .around16KiB: [16_384, 16_383, 16_385]
            case .manyGathered: Array(repeating: 15_000, count: 400)
            case .tiny: Array(repeating: 41, count: 1000)
            }
        }
    }

    @Test(arguments: Mix.allCases, [false, true])
    func `a slow reader gets every byte in order and the writer hears drained`(mix: Mix, isAtOnce: Bool) throws {
        let sizes = mix.sizes
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                client.pauseReading()
                server.setQueueMarks(low: 10_000, high: 50_000)
                var expected: [UInt8] = []
                // More bytes than all socket buffers of the system can hold.
                while expected.count < 16_000_000 {
                    for size in sizes {
                        let chunk = pattern(size, seed: expected.count)
                        isAtOnce ? server.writeAtOnce(chunk) : server.write(chunk)
                        expected += chunk
                    }
                }
                let all = expected
                #expect(server.isCongested)
                when({ server.stalledMilliseconds > 0 }, on: loop) {
                    #expect(server.queuedBytes > 0)
                    #expect(pair.server.drainedCount == 0)
                    server.write([1, 2, 3])
                    client.resumeReading()
                }
                pair.client.onReceived = { [unowned loop] _, _ in
                    guard pair.client.bytes.count == all.count + 3 else { return }
                    #expect(pair.client.bytes == all + [1, 2, 3])
                    #expect(server.queuedBytes == 0)
                    #expect(!server.isCongested)
                    #expect(pair.server.drainedCount == 1)
                    #expect(server.stalledMilliseconds == 0)
                    loop.stop()
                }
            }
        }
    }

    @Test func `the bytes that are kept of an array count, even those that the kernel has taken`() throws {
        let size = 16_000_000
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                client.pauseReading()
                server.write(pattern(size))
                when({ server.queuedBytes < size - 4096 }, on: loop) {
                    #expect(loop.queuedBytes >= size)
                    client.resumeReading()
                }
                pair.client.onReceived = { [unowned loop] _, _ in
                    guard pair.client.bytes.count == size else { return }
                    #expect(pair.client.bytes == pattern(size))
                    #expect(loop.queuedBytes == 0)
                    loop.stop()
                }
            }
        }
    }

    @Test func `a queue that rose and was taken within one turn still tells drained`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, _ in
                server.setQueueMarks(low: 0, high: 1000)
                server.write(pattern(2000))
                #expect(server.isCongested)
                pair.server.onDrained = { [unowned loop] connection in
                    #expect(connection.queuedBytes == 0)
                    loop.stop()
                }
            }
        }
    }

    @Test func `a client may come from another source address`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop, from: try anyPort(on: "127.0.0.7")) { _, server, client in
                #expect(server.peerAddress.host == "127.0.0.7")
                #expect(server.peerAddress.port > 0)
                loop.stop()
            }
        }
    }

    @Test func `one connection takes four reads of a turn at most`() throws {
        let thread = try LoopThread.start(named: "flood") { loop in
            let recorder = Recorder()
            let listener = try TCPListener(on: loop, address: try SocketAddress("127.0.0.1:0")) { connection in
                connection.delegate = recorder
                connection.write(pattern(8_000_000))
            }
            recorder.onClosed = { _ in listener.close() }
            return listener.address
        }
        var perTurn: [UInt32: Int] = [:]
        try withLoop { loop in
            let recorder = Recorder()
            var total = 0
            recorder.onReceived = { [unowned loop] _, bytes in
                perTurn[loop.turns, default: 0] += 1
                total += bytes.count
                if total == 8_000_000 { loop.stop() }
            }
            _ = try TCPConnection.connect(on: loop, to: thread.output, delegate: recorder)
        }
        thread.thread.stop()
        thread.thread.join()
        #expect(perTurn.values.max() ?? 0 <= 4)
        #expect(perTurn.values.reduce(0, +) >= 8_000_000 / 65_536)
    }
}
