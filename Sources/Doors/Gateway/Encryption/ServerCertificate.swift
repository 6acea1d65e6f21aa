package import Crypto
package import Telemetry

/// The files of the server's certificate, and the keys of its clients' tickets, which outlive a reload.
///
/// - Confinement: any; loading blocks on the disk
package struct ServerCertificate: Sendable {
    private let certificatePath: String
    private let keyPath: String
    /// Turned over by the first loop.
    package let ticketKeys: TLSTicketKeys

    package init(certificatePath: String, keyPath: String) throws(TLSError) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        ticketKeys = try TLSTicketKeys()
    }

    /// Reads the files as they are now. Logs what an operator should know of them.
    package func load(_ log: ServerLog) throws(TLSContextError) -> TLSContext {
        let context = try TLSContext(
            certificatePath: certificatePath, keyPath: keyPath, ticketKeys: ticketKeys)
        if context.isKeyOpenToOthers {
            log.warning(
                "every user of this machine can read the TLS key; make it private with chmod 600", ["file": keyPath])
        }
        return context
    }
}
