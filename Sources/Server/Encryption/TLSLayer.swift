import EventLoop
import Synchronization
import TLS
import Wire

/// TLS on one connection: an engine between the socket and whatever speaks on it.
///
/// - Confinement: loop
final class TLSLayer: TCPConnectionLayer {
    private let engine: TLSEngine
    private let log: ServerLog
    private let metrics: Metrics
    /// A handshake is a signature and an agreement on keys: a hundred times as much as anything behind it.
    private(set) var isCostly = true

    init(_ engine: TLSEngine, log: ServerLog, metrics: Metrics) {
        self.engine = engine
        self.log = log
        self.metrics = metrics
    }

    func receive(_ bytes: RawSpan, into plaintext: inout [UInt8]) -> TCPConnectionLayerVerdict {
        switch engine.receive(bytes, into: &plaintext) {
        case .handshaking: return .goesOn
        case .open:
            if isCostly { opened() }
            return .goesOn
        case .ended: return .hasEnded
        case .failed(let failure):
            metrics.tlsFailures.add(1, ordering: .relaxed)
            log.debug("a TLS connection failed", ["reason": "\(failure)"])
            return .hasFailed
        }
    }

    private func opened() {
        isCostly = false
        metrics.tlsHandshakes.add(1, ordering: .relaxed)
        if engine.isResumed { metrics.tlsResumptions.add(1, ordering: .relaxed) }
    }

    /// A server has nothing to say before its client has spoken: nothing is held back here.
    func seal(_ plaintext: [UInt8], isLast: Bool) -> [UInt8] {
        if !plaintext.isEmpty { plaintext.withRawSpan { _ = engine.write($0) } }
        if isLast { engine.shutdown() }
        return engine.takeCiphertext()
    }
}

@available(*, unavailable)
extension TLSLayer: Sendable {}
