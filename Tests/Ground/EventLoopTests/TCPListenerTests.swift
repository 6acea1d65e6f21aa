import Dispatch
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

    /// Listens, and sends a greeting that differs from loop to loop.
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

    @Test func `a port that somebody shares is still not free`() throws {
        try withLoop { loop in
            let listener = try TCPListener(on: loop, address: try anyPort(), reusePort: true) { $0.close() }
            #expect(throws: UVError(errno: EADDRINUSE)) { try TCPListener.checkFree(listener.address) }
            listener.close()
            whenFree(listener.address, on: loop) { [unowned loop] in loop.stop() }
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
            try await openDispatchTimers()
            try exhaustDescriptors()
        }
    }

    @Test func `without even a spare descriptor it rests instead of spinning, and serves again`() async {
        await #expect(processExitsWith: .success) {
            try await openDispatchTimers()
            try exhaustTheSpare()
        }
    }
}

/// Makes Dispatch open the descriptors of its timers, one for each clock. Otherwise it opens one when the first timer of
/// this process starts, also on another thread: it would take the spare descriptor that the listener has just closed.
///
/// A time that is over already would need no timer.
private func openDispatchTimers() async throws {
    try await Task.sleep(for: .milliseconds(50), clock: .continuous)
    try await Task.sleep(for: .milliseconds(50), clock: .suspending)
    await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(50)) { continuation.resume() }
    }
}

/// Limits the number of descriptors of this process; those that are open stay open.
private func limitDescriptors(to count: UInt) {
    var limit = rlimit(rlim_cur: count, rlim_max: 1024)
    unsafe #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
}

/// Runs in a process of its own: under a limit that leaves not even the spare descriptor, the listener must not spin
/// while it waits.
private func exhaustTheSpare() throws {
    try withLoop { loop in
        let server = Recorder()
        server.onReceived = { connection, bytes in connection.write(bytes) }
        let listener = try TCPListener(on: loop, address: try anyPort()) { $0.delegate = server }
        let client = Recorder()
        client.onReceived = { [unowned loop] _, bytes in
            #expect(bytes == [42])
            loop.stop()
        }
        let connection = try TCPConnection.connect(on: loop, to: listener.address, delegate: client)
        keep(listener, on: loop)
        connection.write([42])
        limitDescriptors(to: 3)
        // From here on the client waits in the listener's queue.
        when({ client.connectedCount == 1 }, on: loop) {
            let before = loop.turns
            // The time is the test: within it, the listener may try a few times.
            after(500, on: loop) {
                #expect(listener.acceptedCount == 0, "the limit did not work")
                let turns = loop.turns - before
                #expect(turns < 100, "it spun")
                limitDescriptors(to: 1024)
            }
        }
    }
}

/// Runs in a process of its own: takes all descriptors while clients wait, gives them back, and connects again.
///
/// In one thread, so that nothing is accepted before all descriptors are taken.
private func exhaustDescriptors() throws {
    try withLoop { loop in
        let server = Recorder()
        server.onReceived = { connection, bytes in connection.write(bytes) }
        let listener = try TCPListener(on: loop, address: try anyPort()) { $0.delegate = server }
        keep(listener, on: loop)
        let waiting = (0..<8).map { _ in Recorder() }
        for recorder in waiting {
            _ = try TCPConnection.connect(on: loop, to: listener.address, delegate: recorder)
        }
        limitDescriptors(to: 256)
        var hoard: [Int32] = []
        func takeAll() {
            while case let descriptor = dup(2), descriptor >= 0 { hoard.append(descriptor) }
        }
        takeAll()
        // The descriptor of a client that was turned away must not serve for the next one.
        for recorder in waiting { recorder.onClosed = { _ in takeAll() } }
        when({ waiting.allSatisfy { $0.closedCount == 1 } }, on: loop) {
            #expect(listener.acceptedCount == 0, "the hoard did not work")
            #expect(listener.refusedCount == 8)
            for descriptor in hoard { close(descriptor) }
            let late = Recorder()
            late.onConnected = { $0.write([42]) }
            late.onReceived = { [unowned loop] _, bytes in
                #expect(bytes == [42])
                loop.stop()
            }
            let connection = try? TCPConnection.connect(on: loop, to: listener.address, delegate: late)
            #expect(connection != nil, "no descriptor came back")
        }
    }
}
