import EventLoop
import JournalLink
import Testing

/// Servers that are not fit, played by a listener that says the first line and nothing else.
struct OldServerTests {
    /// A listener that greets.
    private final class Greeter: TCPConnectionDelegate {
        func received(_ bytes: RawSpan, on connection: TCPConnection) {}
        func drained(on connection: TCPConnection) {}
        func closed(on connection: TCPConnection, error: UVError?) {}
    }

    private func play(_ line: String, _ body: (JournalUser) throws -> Void) throws {
        let (thread, port) = try LoopThread.start(named: "old-server") { loop in
            let listener = try TCPListener(on: loop, address: try SocketAddress("127.0.0.1:0")) { connection in
                connection.delegate = Greeter()
                if !line.isEmpty { connection.write(Array(line.utf8)) }
            }
            // Held until the loop has ended and closed it.
            _ = try Mailbox<Int>(on: loop) { _ in withExtendedLifetime(listener) {} }
            return listener.address.port
        }
        defer {
            thread.stop()
            thread.join()
        }
        let address = try JournalAddress("nats://127.0.0.1:\(port)")
        try body(JournalUser(try JournalOptions(addresses: [address], application: "test", name: "test")))
    }

    @Test func `an older server is refused by name`() throws {
        try play(#"INFO {"server_name":"old","version":"2.9.10","max_payload":1048576,"jetstream":true}"# + "\r\n") {
            user in
            let sentence = "the NATS server old has version 2.9.10; the journal needs at least 2.14.5"
            try user.wait(for: "the sentence") {
                user.events.contains { if case .unfit(let text) = $0 { text.hasSuffix(sentence) } else { false } }
            }
            let seen = user.events.count
            let later = ContinuousClock.now + .seconds(1)
            try user.wait(for: "a second try") { ContinuousClock.now > later }
            #expect(user.events.count <= seen + 1, "it is said once, and then that there is no connection")
            #expect(user.client.server == nil)
        }
    }

    @Test func `another program is not taken for a server`() throws {
        try play("220 mail.example ESMTP\r\n") { user in
            try user.wait(for: "the reason") {
                user.events.contains { $0.description.contains("does not begin with the INFO line of NATS") }
            }
        }
    }

    @Test func `a program that says nothing is left in time`() throws {
        try play("") { user in
            let start = ContinuousClock.now
            try user.wait(for: "the reason") { !user.events.isEmpty }
            #expect(ContinuousClock.now - start < .seconds(4))
            #expect(user.events.first?.description.contains("did not greet within 1500 ms") == true)
        }
    }
}
