import Configuration
import Crypto
import EventLoop
import Model
import Synchronization
import Telemetry
import Wire

/// TLS on one connection: an engine between the socket and whatever speaks on it.
///
/// - Confinement: loop
final class TLSLayer: TCPConnectionLayer {
    private let engine: TLSEngine
    private let loop: Loop
    private let metrics: Metrics
    private let log: ServerLog
    /// Time in which a handshake or a record must be whole.
    private let unfinishedMilliseconds: Int64
    /// By when the handshake or record under way must be whole.
    private(set) var deadline = Int64.max
    /// A handshake is a signature and an agreement on keys: a hundred times as much as anything after it.
    private(set) var isCostly = true
    /// Whether its last word is being said.
    private var hasFailed = false

    init(_ engine: TLSEngine, on loop: Loop, _ settings: LoopSettings) {
        self.engine = engine
        self.loop = loop
        metrics = settings.metrics
        log = settings.log
        unfinishedMilliseconds = settings.configuration.requestMilliseconds
    }

    var heldBytes: Int { hasFailed ? 0 : engine.heldBytes }

    func receive(_ bytes: RawSpan, into plaintext: inout [UInt8]) -> TCPConnectionLayerVerdict {
        let before = plaintext.count
        let state = engine.receive(bytes, into: &plaintext)
        noteUnfinished(hasContent: plaintext.count > before)
        switch state {
        case .handshaking:
            guard engine.handshakeReceived <= Limits.handshakeBytesMax else { return fail("the handshake is too long") }
            return .goesOn
        case .open:
            if isCostly { opened() }
            return .goesOn
        case .ended: return .hasEnded
        case .failed(let failure): return fail("\(failure)")
        }
    }

    private func fail(_ reason: String) -> TCPConnectionLayerVerdict {
        hasFailed = true
        deadline = .max
        metrics.tlsFailures.add(1)
        log.debug("a TLS connection failed", ["reason": reason])
        return .hasFailed
    }

    /// The time of what is not whole runs from its first byte; when there was content, this is the start of another
    /// record.
    private func noteUnfinished(hasContent: Bool) {
        if !engine.isUnfinished {
            deadline = .max
        } else if hasContent || deadline == .max {
            deadline = loop.now + unfinishedMilliseconds
        }
    }

    private func opened() {
        isCostly = false
        metrics.tlsHandshakes.add(1)
        if engine.isResumed { metrics.tlsResumptions.add(1) }
    }

    /// A server has nothing to say before its client has spoken: nothing is held back here.
    func seal(_ plaintext: [UInt8], isLast: Bool) -> [UInt8] {
        if !plaintext.isEmpty { plaintext.withRawSpan { _ = engine.write($0) } }
        guard isLast else { return engine.takeCiphertext() }
        // The connection may wait for its peer's end, but this has said all.
        engine.shutdown()
        let farewell = engine.takeCiphertext()
        engine.close()
        return farewell
    }
}

@available(*, unavailable)
extension TLSLayer: Sendable {}
