import Journal
import JournalLink
import Telemetry

/// Tells the operator how the connection to the journal changes, and the thread in one word.
///
/// - Confinement: loop
final class LinkWatch {
    private let log: ServerLog
    /// Nil until the thread is complete, and after it was closed.
    var changed: ((JournalLinkState) -> Void)?

    init(_ log: ServerLog) { self.log = log }

    func take(_ event: JournalLinkEvent) {
        switch event {
        case .connected(let server, let address):
            log.info("journal connected", ["server": server.name, "version": "\(server.version)", "at": "\(address)"])
            changed?(.reachable)
        case .disconnected(let reason):
            log.warning("journal disconnected", ["error": reason], isChange: true)
            changed?(.unreachable)
        case .unfit(let sentence): log.error("a server of the journal cannot be used", ["error": sentence])
        case .trouble(let sentence): log.warning("the journal reports trouble", ["error": sentence])
        }
    }
}

@available(*, unavailable)
extension LinkWatch: Sendable {}
