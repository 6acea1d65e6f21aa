import Configuration
import JournalLink
import Model
import Outbound

extension JournalOptions {
    /// The options of a node's settings.
    ///
    /// - Parameter name: Shown by NATS for the connection.
    /// - Throws: ``StartProblem`` when an address or the application's name has another form.
    init(_ cluster: ClusterConfiguration, name: String) throws(StartProblem) {
        do {
            let addresses = try cluster.journal.map { (text) throws(JournalFailure) in try JournalAddress(text) }
            try self.init(addresses: addresses, application: cluster.application, name: name)
        } catch {
            throw StartProblem(isConfiguration: true, "--journal: \(error)")
        }
        credentials = cluster.credentials
        authorities = cluster.authorities
    }

    /// The same for one of the servers.
    func only(_ address: JournalAddress) -> JournalOptions {
        var options = self
        options.addresses = [address]
        return options
    }
}

extension AddressPolicy {
    /// Every address: those of other nodes and of the journal's servers come from the operator, and are seldom public.
    static var anywhere: AddressPolicy {
        AddressPolicy(allowing: AddressRanges(["0.0.0.0/0", "::/0"]) ?? .none)
    }
}
