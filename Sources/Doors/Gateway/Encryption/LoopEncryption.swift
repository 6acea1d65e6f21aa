import Crypto
import EventLoop
import Model
import Telemetry

/// TLS on one loop: the certificate for new connections, and the keys of their tickets.
///
/// - Confinement: loop
final class LoopEncryption {
    private let loop: Loop
    private let settings: LoopSettings
    /// The TLS context of new connections; nil when they do not use TLS.
    var context: TLSContext?
    private var ticketKeysTurnAt: Int64

    init(on loop: Loop, _ settings: LoopSettings) {
        self.loop = loop
        self.settings = settings
        context = settings.encryption?.context
        ticketKeysTurnAt = loop.now + Limits.ticketKeysMilliseconds
    }

    /// Puts TLS between a connection and what speaks on it, if this server speaks TLS.
    ///
    /// - Returns: false when that fails; then the connection is closed.
    func encrypt(_ tcp: TCPConnection) -> Bool {
        guard let context else { return true }
        do {
            let engine = try TLSEngine(context)
            tcp.install(TLSLayer(engine, on: loop, settings))
            return true
        } catch {
            settings.log.error("no TLS for a connection", ["error": "\(error)"])
            tcp.close()
            return false
        }
    }

    /// Replaces the keys of tickets when it is time; called on the first loop alone, since all loops share the keys.
    func turnTicketKeys() {
        guard let keys = settings.encryption?.ticketKeys, loop.now >= ticketKeysTurnAt else { return }
        ticketKeysTurnAt = loop.now + Limits.ticketKeysMilliseconds
        do {
            try keys.rotate()
        } catch {
            settings.log.error("the keys of TLS tickets could not be replaced", ["error": "\(error)"])
        }
    }
}

@available(*, unavailable)
extension LoopEncryption: Sendable {}
