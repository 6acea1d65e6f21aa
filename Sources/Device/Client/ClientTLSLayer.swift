import Crypto
import EventLoop
import Wire

/// TLS on a client's connection: it starts the handshake, and holds writes back until the handshake is done.
/// - Confinement: loop
final class ClientTLSLayer: TCPConnectionLayer {
    private let engine: TLSEngine
    private let encryption: ClientEncryption
    private var heldBack: [UInt8] = []
    /// Why TLS ended, unless it ended normally.
    private(set) var failure: EncryptionFailure?

    init(_ engine: TLSEngine, of encryption: ClientEncryption) {
        self.engine = engine
        self.encryption = encryption
    }

    /// The server sends its tickets after the handshake, so the session is taken at the end.
    deinit {
        if let session = engine.session { encryption.keep(session) }
    }

    /// A client has few handshakes, and starts them itself.
    var isCostly: Bool { false }

    func receive(_ bytes: RawSpan, into plaintext: inout [UInt8]) -> TCPConnectionLayerVerdict {
        switch engine.receive(bytes, into: &plaintext) {
        case .handshaking, .open: return .goesOn
        case .ended: return .hasEnded
        case .failed(let failure):
            self.failure = EncryptionFailure(failure: failure, host: encryption.host)
            return .hasFailed
        }
    }

    func seal(_ plaintext: [UInt8], isLast: Bool) -> [UInt8] {
        heldBack += plaintext
        if engine.canWrite, !heldBack.isEmpty {
            heldBack.withRawSpan { _ = engine.write($0) }
            heldBack = []
        }
        if isLast { engine.shutdown() }
        return engine.takeCiphertext()
    }

    /// The connection is gone; without a normal end of TLS before, it was cut off.
    func transportEnded() {
        guard failure == nil, engine.state == .open else { return }
        failure = EncryptionFailure(failure: .truncated, host: encryption.host)
    }
}

@available(*, unavailable)
extension ClientTLSLayer: Sendable {}
