import TLS

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

    /// Reads the files as they are now. The log is told what an operator should know of them.
    func load(_ log: ServerLog) throws(TLSContextError) -> TLSContext {
        let context = try TLSContext(
            certificatePath: certificatePath, keyPath: keyPath, ticketKeys: ticketKeys)
        if context.isKeyOpenToOthers {
            log.warning("anybody on this machine may read the TLS key: chmod 600 it", ["file": keyPath])
        }
        return context
    }
}
