import ClientProtocol
import EventLoop
import Model
import Wire

/// The echo endpoint (`serve --debug-echo`): sends back what it gets, for conformance suites and benchmarks.
///
/// - Confinement: loop
final class Echo {
    private let tcp: TCPConnection
    private var codec = WebSocketConnection(role: .server, messageBytesMax: Limits.echoMessageBytesMax)
    private var events: [WebSocketEvent] = []

    init(_ tcp: TCPConnection) { self.tcp = tcp }

    func receive(_ bytes: RawSpan) {
        codec.receive(bytes, into: &events)
        for event in events {
            switch event {
            case .text(let payload): tcp.write(FrameEncoder.text(payload))
            case .binary(let payload): tcp.write(FrameEncoder.binary(payload))
            case .ping(let payload): tcp.write(FrameEncoder.pong(payload))
            case .pong: break
            case .close(let code, _): end(code)
            case .violation(let violation): end(violation.closeCode, violation.reason)
            }
        }
        events.removeAll(keepingCapacity: true)
        // A peer that sends without reading is not read from until it does: the bytes wait in its own kernel.
        if tcp.isCongested { tcp.pauseReading() }
    }

    private func end(_ code: UInt16?, _ reason: String = "") {
        tcp.write(FrameEncoder.close(code: code, reason: reason))
        tcp.closeAfterFlush(timeoutMilliseconds: 2000)
    }
}

@available(*, unavailable)
extension Echo: Sendable {}
