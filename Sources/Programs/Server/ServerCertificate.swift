import Crypto
import Model
import Telemetry

/// The files of the server's certificate, and the keys of its clients' tickets, which outlive a reload.
///
/// - Confinement: any; loading blocks on the disk
struct ServerCertificate: Sendable {
    private let certificatePath: String
    private let keyPath: String
    /// Turned over by the first loop.
    let ticketKeys: TLSTicketKeys

    init(certificatePath: String, keyPath: String) throws(TLSError) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        ticketKeys = try TLSTicketKeys()
    }

    /// Reads the files as they are now. Logs what an operator should know of them, and notes in the figures when the certificate ends.
    func load(_ log: ServerLog, _ metrics: Metrics) throws(TLSContextError) -> TLSContext {
        let context = try TLSContext(
            certificatePath: certificatePath, keyPath: keyPath, ticketKeys: ticketKeys)
        if context.isKeyOpenToOthers {
            log.warning(
                "every user of this machine can read the TLS key; make it private with chmod 600", ["file": keyPath])
        }
        if let expires = context.certificateExpiresSeconds {
            metrics.certificateExpires.set(Int(expires))
            warn(ofExpiry: Timestamp(milliseconds: expires * 1000), log)
        }
        return context
    }

    /// A certificate that has expired is served all the same: clients that check nothing go on, and nobody else can help.
    private func warn(ofExpiry expires: Timestamp, _ log: ServerLog) {
        let left = expires.milliseconds - log.now.milliseconds
        let fields: KeyValuePairs = ["file": certificatePath, "expires": expires.text]
        if left <= 0 {
            log.error(
                "the TLS certificate has expired: clients refuse the server until it is renewed", fields, isChange: true
            )
        } else if left < Self.warnedMilliseconds {
            log.warning("the TLS certificate expires soon; renew it", fields, isChange: true)
        }
    }

    /// Programs that renew certificates do so a month ahead.
    private static let warnedMilliseconds: Int64 = 14 * 86_400_000
}
