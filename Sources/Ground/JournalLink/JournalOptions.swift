/// The place of the journal, and the login there.
/// - Confinement: any
package struct JournalOptions: Sendable, Hashable {
    /// The servers, at least one; each is tried, from a place by chance on.
    package var addresses: [JournalAddress]
    /// The name of the application: its stream is `WW-APP`, its subjects begin with `ww.APP.`.
    package let application: String
    /// Shown by NATS for this connection, for example the node's name.
    package var name: String
    /// Path of a credentials file of NATS (`.creds`: a JWT and a seed).
    package var credentials: String?
    /// Path of a PEM file with the certificates to trust instead of the system's; with it, TLS is always used.
    package var authorities: String?
    /// Time to reach one server, greet and log in, each.
    package var connectMilliseconds = 1500

    /// Makes options.
    /// - Throws: ``JournalFailure/malformed(_:)`` for an application's name that cannot be part of a subject, and without
    ///   an address.
    package init(addresses: [JournalAddress], application: String, name: String) throws(JournalFailure) {
        guard !addresses.isEmpty else { throw .malformed("the journal has no address") }
        let isName =
            !application.isEmpty && application.utf8.count <= 64
            && application.utf8.allSatisfy { $0.isNameByte }
        guard isName else {
            throw .malformed("the journal's application '\(application)' must be 1 to 64 of a-z A-Z 0-9 - _")
        }
        self.addresses = addresses
        self.application = application
        self.name = name
    }

    /// The stream's name.
    package var stream: String { "WW-" + application }
    /// The subject of the stream's entries.
    package var journalSubject: String { "ww.\(application).journal" }

    /// The subject of messages that are not kept: `ww.APP.` and the rest.
    package func subject(_ rest: String) -> String { "ww.\(application).\(rest)" }
}

extension UInt8 {
    fileprivate var isNameByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
