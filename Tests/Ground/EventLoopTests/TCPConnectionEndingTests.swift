import EventLoop
import Glibc
import Testing

@Suite struct TCPConnectionEndingTests {
    @Test func `the peer's end closes without an error, after the last bytes`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                client.write(pattern(5000))
                client.closeAfterFlush()
                pair.server.onClosed = { _ in #expect(pair.server.bytes == pattern(5000)) }
                stopWhenBothClosed(pair, loop)
                _ = server
            }
        }
    }

    @Test func `bytes that are queued when the peer ends are still sent`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                server.write(pattern(5_000_000))
                client.closeAfterFlush()
                // The client discards, so the bytes have arrived when the server's queue is empty and the server closed
                // without an error.
                stopWhenBothClosed(pair, loop)
            }
        }
    }

    @Test func `a last answer arrives although the peer keeps sending`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                let timer = LoopTimer(on: loop) { client.write(pattern(100_000)) }
                timer.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
                pair.server.onReceived = { connection, _ in
                    connection.write(pattern(300))
                    connection.closeAfterFlush()
                    #expect(!connection.isOpen)
                    connection.write([9])
                }
                pair.client.onClosed = { _ in
                    timer.close()
                    #expect(pair.client.bytes == pattern(300))
                }
                stopWhenBothClosed(pair, loop)
            }
        }
    }

    @Test func `a peer that takes nothing is closed at the deadline`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                client.pauseReading()
                server.write(pattern(16_000_000))
                server.closeAfterFlush(timeoutMilliseconds: 50)
                pair.server.onClosed = { [unowned loop] connection in
                    #expect(pair.server.error == .timedOut)
                    #expect(connection.queuedBytes == 0)
                    loop.stop()
                }
            }
        }
    }

    @Test func `a peer that never ends is closed at the deadline without an error`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                client.pauseReading()
                server.write(pattern(16))
                server.closeAfterFlush(timeoutMilliseconds: 30)
                pair.server.onClosed = { [unowned loop] _ in
                    #expect(pair.server.error == nil)
                    loop.stop()
                }
            }
        }
    }

    @Test func `closing twice tells once, later, and not from within the call`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, _ in
                server.write([1])
                server.close()
                server.close()
                server.closeAfterFlush()
                #expect(pair.server.closedCount == 0)
                stopWhenBothClosed(pair, loop)
            }
        }
    }

    @Test func `a reset is reported with its code`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                // Closing with unread bytes makes the kernel send a reset.
                client.pauseReading()
                server.write(pattern(1000))
                let timer = after(20, on: loop) { client.close() }
                pair.server.onClosed = { [unowned loop] _ in
                    timer.close()
                    #expect(pair.server.error?.code == -ECONNRESET)
                    loop.stop()
                }
            }
        }
    }

    @Test func `a connection to an address where nobody listens is refused`() throws {
        try withLoop { loop in
            let listener = try TCPListener(on: loop, address: try anyPort()) { $0.close() }
            let address = listener.address
            listener.close()
            let recorder = Recorder()
            recorder.onClosed = { [unowned loop] _ in
                #expect(recorder.connectedCount == 0)
                #expect(recorder.error?.name == "ECONNREFUSED")
                loop.stop()
            }
            whenFree(address, on: loop) {
                let connection = try? TCPConnection.connect(on: loop, to: address, delegate: recorder)
                connection?.write([1, 2, 3])
            }
        }
    }

    @Test func `the end of the loop closes every connection once`() throws {
        let recorders = [Recorder(), Recorder()]
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, client in
                server.delegate = recorders[0]
                client.delegate = recorders[1]
                server.write(pattern(20_000_000))
                loop.stop()
            }
        }
        #expect(recorders.map(\.closedCount) == [1, 1])
    }

    private func stopWhenBothClosed(_ pair: Pair, _ loop: Loop) {
        let timer = LoopTimer(on: loop) { [unowned loop] in
            guard pair.server.closedCount > 0, pair.client.closedCount > 0 else { return }
            #expect(pair.server.closedCount == 1)
            #expect(pair.client.closedCount == 1)
            #expect(pair.server.error == nil)
            #expect(pair.client.error == nil)
            loop.stop()
        }
        timer.start(afterMilliseconds: 20, repeatingMilliseconds: 5)
        keep(timer, on: loop)
    }
}
