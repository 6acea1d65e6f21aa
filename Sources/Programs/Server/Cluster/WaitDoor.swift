import Configuration
import EventLoop
import Telemetry

/// Answers every request on the server's addresses with 503 and the reason, while the node waits for an upgrade. With TLS the
/// addresses stay closed: there is nothing but the reason to tell.
///
/// - Confinement: loop
final class WaitDoor {
    private let standing: NodeStanding
    private let listeners: [TCPListener]
    private let answer: Answer

    /// - Throws: nothing for an address that cannot be used: the start of the server reports that.
    init(_ configuration: ServerConfiguration, _ standing: NodeStanding, on loop: Loop) {
        self.standing = standing
        let answer = Answer()
        self.answer = answer
        let texts = configuration.tlsCertificate == nil ? configuration.listen : []
        listeners = texts.compactMap { text in
            guard let address = try? SocketAddress(text) else { return nil }
            return try? TCPListener(on: loop, address: address) { $0.delegate = answer }
        }
        look()
    }

    /// The reason may be another one.
    func look() { answer.text = (standing.now.waitsForUpgrade ?? "this node reaches the journal") + "\n" }

    /// - Confinement: loop
    private final class Answer: TCPConnectionDelegate {
        var text = ""

        func received(_ bytes: RawSpan, on connection: TCPConnection) {
            let head = """
                HTTP/1.1 503 Service Unavailable\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Length: \(text.utf8.count)\r
                Retry-After: 1\r
                Connection: close\r
                \r

                """
            connection.write(Array((head + text).utf8))
            connection.closeAfterFlush()
        }

        func drained(on connection: TCPConnection) {}

        func closed(on connection: TCPConnection, error: UVError?) {}
    }
}

@available(*, unavailable)
extension WaitDoor: Sendable {}
