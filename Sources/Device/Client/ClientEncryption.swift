import Crypto
package import EventLoop
import Synchronization

/// The TLS settings for one server: its expected name, the trusted authorities, and its last session to resume.
///
/// The certificate and its name are always checked; no option turns this off.
/// - Confinement: any; making one reads the authorities from the disk
package final class ClientEncryption: Sendable, Hashable {
    /// The name or address that the certificate must bear.
    let host: String
    private let context: TLSContext
    /// The TLS session of the connection that ended last, for the next connections. Protected by its lock.
    private let session = Mutex<TLSSession?>(nil)

    /// - Parameter authorities: A PEM file; nil for the system's authorities.
    init(host: String, authorities: String?) throws(ServerAddressError) {
        self.host = host
        do {
            context = try TLSContext(trust: authorities.map { .authorities(path: $0) } ?? .system)
        } catch {
            throw .authorities(error)
        }
    }

    /// Puts TLS on a new connection.
    /// - Throws: `ENOMEM` when OpenSSL has no memory; the connection is closed then.
    func protect(_ connection: TCPConnection) throws(UVError) -> ClientTLSLayer {
        do {
            let engine = try TLSEngine(context, host: host, resuming: session.withLock { $0 })
            let layer = ClientTLSLayer(engine, of: self)
            connection.install(layer)
            return layer
        } catch {
            connection.close()
            throw .noMemory
        }
    }

    /// Puts TLS on a new connection, for an owner that does not need the reason of a failure.
    /// - Throws: as `protect`.
    package func cover(_ connection: TCPConnection) throws(UVError) { _ = try protect(connection) }

    /// Keeps a session for later connections.
    func keep(_ session: TLSSession) {
        self.session.withLock { $0 = session }
    }

    package static func == (left: ClientEncryption, right: ClientEncryption) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Why TLS to a server failed, and what to do about it.
/// - Confinement: any
package struct EncryptionFailure: Sendable, Hashable, CustomStringConvertible {
    let failure: TLSFailure
    let host: String

    /// Whether the certificate is not trusted.
    package var isCertificate: Bool {
        if case .certificateRefused = failure { true } else { false }
    }

    /// A sentence for people, with what to do next.
    package var description: String {
        switch failure {
        case .certificateRefused:
            "\(failure). " + advice
        case .protocol where failure.isOtherProtocol: "the server does not speak TLS there: use http://"
        case .protocol: "TLS failed: \(failure)"
        case .truncated: "the connection was cut off: the answer may be incomplete"
        case .helloTooLong, .tooManyRecordsWithoutContent: failure.description
        }
    }

    private var advice: String {
        switch failure.refusal {
        case .expired: "It must be renewed where the server runs; then SIGHUP makes the server read the new one"
        case .notYetValid: "Is this machine's clock right?"
        case .otherName: "It is not made out to '\(host)': use the name that it contains"
        case .unknownIssuer:
            "If its issuer is one of your own, give that one's certificate with --ca FILE or WATCHWISE_CA"
        case .other, nil: "It must be replaced where the server runs"
        }
    }
}
