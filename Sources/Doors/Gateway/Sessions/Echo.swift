import ClientProtocol
import Compression
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
    private let compression: ConnectionCompression?

    init(_ tcp: TCPConnection, compression: ConnectionCompression?) {
        self.tcp = tcp
        self.compression = compression
    }

    func receive(_ bytes: RawSpan) {
        // Compressed bytes may grow a thousandfold, so they are taken piece by piece.
        let pieceBytes = compression == nil ? bytes.byteCount : CompressionLimits.compressedPieceBytes
        var offset = 0
        while offset < bytes.byteCount {
            let end = min(offset + pieceBytes, bytes.byteCount)
            codec.receive(bytes.extracting(offset..<end), decompressor: compression?.inflater, into: &events)
            handleEvents()
            offset = end
        }
        // A peer that sends without reading is not read from until it does: the bytes wait in its own kernel.
        if tcp.isCongested { tcp.pauseReading() }
    }

    private func handleEvents() {
        for event in events {
            switch event {
            case .text(let payload): send(.text, payload)
            case .binary(let payload): send(.binary, payload)
            case .ping(let payload): tcp.write(FrameEncoder.pong(payload))
            case .pong: break
            case .close(let code, _): end(code)
            case .violation(let violation): end(violation.closeCode, violation.reason)
            }
        }
        events.removeAll(keepingCapacity: true)
    }

    private func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        if let compressed = compression?.compress(payload) {
            tcp.write(FrameEncoder.compressed(opcode, compressed))
        } else {
            tcp.write(opcode == .text ? FrameEncoder.text(payload) : FrameEncoder.binary(payload))
        }
    }

    private func end(_ code: UInt16?, _ reason: String = "") {
        tcp.write(FrameEncoder.close(code: code, reason: reason))
        tcp.closeAfterFlush(timeoutMilliseconds: 2000)
    }
}

@available(*, unavailable)
extension Echo: Sendable {}
