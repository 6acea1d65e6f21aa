package import Compression
import Crypto
package import EventLoop
import Session
package import Wire

/// A WebSocket of a client: handshake, masked frames, pongs and the closing handshake over one connection.
///
/// The connection holds the WebSocket, and the WebSocket its delegate, until `ended`; other owners are not needed.
/// - Confinement: loop
package final class WebSocketClient {
    private enum Stage {
        case connecting, waitingForAnswer(HTTPResponseParser), open, closing, ended
    }

    /// The request to a server.
    package struct Endpoint: Sendable, Hashable {
        package var server: ServerAddress
        /// Path and query.
        package var target: String
        package var subprotocols: [String] = []
        /// Further fields, for example `Authorization`.
        package var headers: HTTPHeaders = [:]
        /// The address to connect from; one source address has about 28,000 ports.
        package var localAddress: SocketAddress?
        /// The largest message from the server.
        package var messageBytesMax = 16 << 20
        /// The compression to offer; nil offers none.
        package var compression: PerMessageDeflateOffer?

        package init(server: ServerAddress, target: String, compression: PerMessageDeflateOffer? = nil) {
            self.server = server
            self.target = target
            self.compression = compression
        }
    }

    /// Receives its events; released after `ended`.
    package var delegate: (any WebSocketClientDelegate)?
    private let offer: WebSocketHandshake.Offer
    private var connection: TCPConnection?
    /// Nil without TLS.
    private var layer: ClientTLSLayer?
    private var stage = Stage.connecting
    private var frames: WebSocketConnection
    private var events: [WebSocketEvent] = []
    private var keys = MaskingKeys()
    private var end: TransportEnd?
    private let offeredCompression: PerMessageDeflateOffer?
    private let streams: SharedStreams
    private var compression: ConnectionCompression?

    /// Messages below this many bytes are sent uncompressed.
    private static let compressedBytesMin = 256

    private init(_ endpoint: Endpoint, delegate: any WebSocketClientDelegate, streams: SharedStreams) {
        self.delegate = delegate
        offeredCompression = endpoint.compression
        self.streams = streams
        offer = WebSocketHandshake.Offer(
            host: endpoint.server.authority,
            target: endpoint.server.basePath + endpoint.target,
            subprotocols: endpoint.subprotocols,
            extensions: endpoint.compression?.text,
            headers: endpoint.headers,
            key: MaskingKeys.nonce()
        )
        frames = WebSocketConnection(role: .client, messageBytesMax: endpoint.messageBytesMax)
    }

    /// Connects and starts the handshake.
    ///
    /// - Parameter streams: For compression; all sockets of a loop share them.
    /// - Returns: at once; the delegate is not called before it returns.
    /// - Throws: when there is no file descriptor left, or the local address cannot be used.
    package static func connect(
        on loop: Loop,
        to endpoint: Endpoint,
        delegate: any WebSocketClientDelegate,
        streams: SharedStreams = SharedStreams()
    ) throws(UVError) -> WebSocketClient {
        let socket = WebSocketClient(endpoint, delegate: delegate, streams: streams)
        let connection = try TCPConnection.connect(
            on: loop,
            to: endpoint.server.socketAddress,
            from: endpoint.localAddress,
            delegate: socket
        )
        socket.layer = try endpoint.server.encryption?.protect(connection)
        socket.connection = connection
        return socket
    }

    /// Whether messages can be sent.
    package var isOpen: Bool {
        if case .open = stage { true } else { false }
    }

    /// Whether the server agreed to compression.
    package var isCompressed: Bool { compression != nil }

    /// Sends a text message, UTF-8; has no effect unless open.
    package func send(text payload: [UInt8]) {
        send(.text, payload)
    }

    /// Ends the WebSocket with a close frame; `ended` follows.
    package func close(code: UInt16 = WebSocketCloseCode.normal, reason: String = "") {
        switch stage {
        case .connecting, .waitingForAnswer: connection?.close()
        case .open: finish(.closed(code: code, reason: reason), answering: code, reason)
        case .closing, .ended: break
        }
    }

    /// Ends the connection now, without a close frame; `ended` follows.
    package func abort() {
        connection?.close()
    }

    private func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        guard isOpen else { return }
        let isLong = !opcode.isControl && payload.count >= Self.compressedBytesMin
        let compressed = isLong ? compression?.compress(payload) : nil
        var frame: [UInt8] = []
        frame.reserveCapacity((compressed ?? payload).count + 14)
        FrameEncoder.append(
            opcode,
            compressed ?? payload,
            isCompressed: compressed != nil,
            maskingKey: keys.next(),
            to: &frame
        )
        connection?.write(frame)
    }

    private func finish(_ end: TransportEnd, answering code: UInt16?, _ reason: String = "") {
        var frame: [UInt8] = []
        FrameEncoder.appendClose(code: code, reason: reason, maskingKey: keys.next(), to: &frame)
        connection?.write(frame)
        self.end = end
        stage = .closing
        connection?.closeAfterFlush(timeoutMilliseconds: 1000)
    }

    private func fail(_ end: TransportEnd) {
        self.end = end
        stage = .closing
        connection?.close()
    }

    private func receiveAnswer(_ bytes: RawSpan, _ before: HTTPResponseParser) {
        var parser = before
        var found: [HTTPResponseEvent] = []
        parser.receive(bytes, into: &found)
        stage = .waitingForAnswer(parser)
        for event in found {
            switch event {
            case .head(let head):
                do {
                    try accept(try offer.check(head, sha1: Digest.sha1).extensions)
                } catch {
                    return fail(Self.end(for: error))
                }
            case .violation(let reason): return fail(.badHandshake(reason))
            case .body: break
            case .end:
                stage = .open
                delegate?.opened(self)
                parser.takeRemainder().withRawSpan { receiveFrames($0) }
            }
        }
    }

    /// Checks the server's answer to the offered compression (RFC 7692 section 7.1).
    private func accept(_ extensions: [WebSocketExtension]) throws(WebSocketHandshake.AnswerError) {
        guard let accepted = extensions.first else { return }
        guard extensions.count == 1, let offeredCompression,
            let agreement = PerMessageDeflateAgreement(accepted, to: offeredCompression)
        else { throw .unexpectedExtension }
        compression = ConnectionCompression(agreement, role: .client, streams: streams)
    }

    private static func end(for error: WebSocketHandshake.AnswerError) -> TransportEnd {
        switch error {
        case .refused(let status): .refused(status: status)
        case .notAnUpgrade: .badHandshake("the answer does not switch to WebSocket")
        case .wrongAcceptValue: .badHandshake("Sec-WebSocket-Accept does not match")
        case .unexpectedSubprotocol: .badHandshake("the server selected a subprotocol that was not offered")
        case .unexpectedExtension:
            .badHandshake("the server accepted an extension that was not offered, or with other parameters")
        }
    }

    private func receiveFrames(_ bytes: RawSpan) {
        // Moved out, not copied: a delegate may end the socket meanwhile.
        var found: [WebSocketEvent] = []
        swap(&found, &events)
        frames.receive(bytes, decompressor: compression?.inflater, into: &found)
        defer {
            found.removeAll(keepingCapacity: true)
            swap(&found, &events)
        }
        for event in found where isOpen {
            switch event {
            case .text(let payload): delegate?.received(text: payload, on: self)
            case .binary(let payload): delegate?.received(binary: payload, on: self)
            case .ping(let payload):
                send(.pong, payload)
                delegate?.heard(on: self)
            case .pong: delegate?.heard(on: self)
            case .close(let code, let reason):
                finish(.closed(code: code, reason: String(decoding: reason, as: UTF8.self)), answering: code)
            case .violation(let violation):
                finish(.violation(violation.reason), answering: violation.closeCode, violation.reason)
            }
        }
    }
}

extension WebSocketClient: TCPConnectionDelegate {
    package func connected(on connection: TCPConnection) {
        do {
            connection.write(try offer.encoded())
            stage = .waitingForAnswer(HTTPResponseParser())
        } catch {
            fail(.badHandshake("the request cannot be sent: \(error)"))
        }
    }

    package func received(_ bytes: RawSpan, on connection: TCPConnection) {
        switch stage {
        case .waitingForAnswer(let parser): receiveAnswer(bytes, parser)
        case .open: receiveFrames(bytes)
        case .connecting, .closing, .ended: break
        }
    }

    package func drained(on connection: TCPConnection) {}

    package func closed(on connection: TCPConnection, error: UVError?) {
        stage = .ended
        self.connection = nil
        let told = delegate
        delegate = nil
        let failure = layer?.failure.map { TransportEnd.encryption($0.description, isCertificate: $0.isCertificate) }
        layer = nil
        told?.ended(self, end ?? failure ?? .lost(error?.message))
    }
}

@available(*, unavailable)
extension WebSocketClient: Sendable {}
