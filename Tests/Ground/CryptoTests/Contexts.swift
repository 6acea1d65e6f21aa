import Crypto
import TestSupport

extension Certificates {
    /// The context of a server by the name of its files.
    func server(_ name: String = "ec", ticketKeys: TLSTicketKeys? = nil) throws -> TLSContext {
        try TLSContext(
            certificatePath: certificate(name),
            keyPath: key(name),
            ticketKeys: ticketKeys ?? TLSTicketKeys()
        )
    }

    /// The context of a client that trusts the authority.
    func client(newest: TLSVersion = .v13) throws -> TLSContext {
        try TLSContext(trust: .authorities(path: authority), newest: newest)
    }
}
