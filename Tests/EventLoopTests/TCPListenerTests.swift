import EventLoop
import Glibc
import Testing

@Suite struct TCPListenerTests {
    @Test func `two loops share one port and both get connections`() throws {
        let first = try LoopThread.start(named: "first") { try Self.counting(on: $0, try SocketAddress("127.0.0.1:0")) }
        let address = first.output
        let second = try LoopThread.start(named: "second") { try Self.counting(on: $0, address) }
        #expect(second.output == address)
        var seen: Set<[UInt8]> = []
        try withLoop { loop in
            var left = 64
            for _ in 0..<64 {
                let recorder = Recorder()
                recorder.onReceived = { [unowned loop] connection, bytes in
                    seen.insert(bytes)
                    connection.close()
                    left -= 1
                    if left == 0 { loop.stop() }
                }
                _ = try TCPConnection.connect(on: loop, to: address, delegate: recorder)
            }
        }
        for thread in [first.thread, second.thread] {
            thread.stop()
            thread.join()
        }
        #expect(seen.count == 2)
    }

    /// Listens, and greets with bytes that differ from loop to loop.
    private static func counting(on loop: Loop, _ address: SocketAddress) throws -> SocketAddress {
        let recorder = Recorder()
        let greeting: [UInt8] = address.port == 0 ? [1] : [2]
        let listener = try TCPListener(on: loop, address: address, reusePort: true) { connection in
            connection.delegate = recorder
            connection.write(greeting)
        }
        keep(listener, on: loop)
        return listener.address
    }

    @Test func `a taken port is refused with EADDRINUSE`() throws {
        try withLoop { loop in
            let listener = try TCPListener(on: loop, address: try anyPort()) { $0.close() }
            #expect(throws: UVError(errno: EADDRINUSE)) {
                _ = try TCPListener(on: loop, address: listener.address) { $0.close() }
            }
            listener.close()
            loop.stop()
        }
    }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func `a listener says the port it got`(text: String) throws {
        try withLoop { loop in
            let listener = try TCPListener(on: loop, address: try SocketAddress(text)) { $0.close() }
            #expect(listener.address.port != 0)
            #expect(listener.address.description.hasSuffix(":\(listener.address.port)"))
            listener.close()
            loop.stop()
        }
    }

    @Test func `without descriptors it turns clients away, rests, and serves again`() async {
        await #expect(processExitsWith: .success) {
            try exhaustDescriptors()
        }
    }
}

/// Runs in a process of its own: takes all descriptors, connects, gives them back, connects again.
private func exhaustDescriptors() throws {
    let server = try LoopThread.start(named: "server") { loop in
        let recorder = Recorder()
        recorder.onReceived = { connection, bytes in connection.write(bytes) }
        let listener = try TCPListener(on: loop, address: try SocketAddress("127.0.0.1:0")) { $0.delegate = recorder }
        let turns = try Mailbox<Mailbox<(turns: UInt32, refused: Int)>>(on: loop) { [unowned loop] askers in
            for asker in askers { asker.post((loop.turns, listener.refusedCount)) }
        }
        return (address: listener.address, turns: turns)
    }
    try withLoop { loop in
        var served = Recorder()
        var hoard: [Int32] = []
        var turnsBefore: UInt32?
        let answers = try Mailbox<(turns: UInt32, refused: Int)>(on: loop) { [unowned loop] batch in
            guard let answer = batch.last else { return }
            guard let before = turnsBefore else {
                turnsBefore = answer.turns
                return
            }
            // A second of rests of 100 ms, not of spinning.
            precondition(answer.turns - before < 200, "it spun: \(answer.turns - before) turns")
            precondition(answer.refused > 0, "nobody was turned away")
            for descriptor in hoard { close(descriptor) }
            served = Recorder()
            served.onConnected = { $0.write([42]) }
            served.onReceived = { [unowned loop] _, bytes in
                precondition(bytes == [42])
                loop.stop()
            }
            _ = after(150, on: loop) {
                _ = try? TCPConnection.connect(on: loop, to: server.output.address, delegate: served)
            }
        }
        // Sockets made now, connected when no descriptor is left.
        var limit = rlimit(rlim_cur: 256, rlim_max: 256)
        unsafe precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        let waiting = Recorder()
        let clients = (0..<8).compactMap { _ in
            try? TCPConnection.connect(on: loop, to: server.output.address, delegate: waiting)
        }
        precondition(clients.count == 8)
        while true {
            let descriptor = dup(2)
            if descriptor < 0 { break }
            hoard.append(descriptor)
        }
        server.output.turns.post(answers)
        _ = after(1000, on: loop) { server.output.turns.post(answers) }
    }
    server.thread.stop()
    server.thread.join()
}
