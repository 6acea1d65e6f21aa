import Configuration
import Model
import Store
import Telemetry
import ThreadMessages

/// The role of a server in a pair of primary and standby, by its settings and its folder.
///
/// - Confinement: any
enum StandbyRoles {
    /// The configuration in force: a standby that has taken its primary's place is a primary, whatever its options say.
    ///
    /// - Throws: ``StartProblem`` for a folder that was handed over, and for settings that exclude each other.
    static func effective(
        _ configuration: ServerConfiguration, _ log: ServerLog
    ) throws(StartProblem) -> ServerConfiguration {
        let cluster = configuration.cluster
        try check(cluster, configuration.listen)
        let folder = StandbyFolder(path: configuration.data)
        guard cluster.standbyOf != nil || !folder.has(.handedOver) else {
            throw StartProblem(
                isConfiguration: false,
                "the history of \(configuration.data) was handed over to its standby, which goes on with it. Start this "
                    + "server with --standby-of that one; or, if that one never served, remove the file "
                    + "\(configuration.data)/\(StandbyFolder.Mark.handedOver.rawValue)")
        }
        guard let primary = cluster.standbyOf else {
            try checkAlone(folder)
            return configuration
        }
        var effective = configuration
        effective.cluster.keepsCommits = folder.isPromoted(insteadOf: primary)
        if effective.cluster.keepsCommits {
            effective.cluster.standbyOf = nil
            log.warning("this server has taken its primary's place: --standby-of is not in force", ["primary": primary])
        }
        return effective
    }

    /// - Throws: ``StartProblem`` when the folder is that of a standby, whose primary may run.
    private static func checkAlone(_ folder: StandbyFolder) throws(StartProblem) {
        guard let primary = folder.text(of: .following), !folder.isPromoted(insteadOf: primary) else { return }
        throw StartProblem(
            isConfiguration: false,
            "\(folder.path) belongs to the standby of \(primary): start it with --standby-of \(primary), and let it take the "
                + "place of that one with 'watchwise standby promote'")
    }

    private static func check(_ cluster: ClusterConfiguration, _ listen: [String]) throws(StartProblem) {
        let option = cluster.standbyOf != nil ? "--standby-of" : cluster.keepsCommits ? "--keep-commits" : nil
        if cluster.hasJournal, let option {
            throw StartProblem(
                isConfiguration: true,
                "\(option) cannot be given with --journal: each node of a cluster has the whole database anyway")
        }
        if let address = cluster.standbyOf, address == cluster.address || isOwn(address, listen) {
            throw StartProblem(
                isConfiguration: true,
                "--standby-of \(address) is this server's own address: give that of its primary")
        }
    }

    private static let thisMachine = ["localhost", "127.0.0.1", "[::1]"]

    /// Whether a URL leads to one of the addresses on which this server is to listen.
    private static func isOwn(_ url: String, _ listen: [String]) -> Bool {
        guard let address = WebAddress(url) else { return false }
        let port = address.port ?? (address.isEncrypted ? 443 : 80)
        return listen.contains { text in
            guard let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) == port else {
                return false
            }
            let host = text[..<colon]
            return host == address.host
                || thisMachine.contains(address.host) && (thisMachine + ["0.0.0.0", "[::]"]).contains(String(host))
        }
    }

    /// Nil on a server that is neither a primary nor a standby.
    static func board(_ cluster: ClusterConfiguration, _ opened: OpenedDatabase) -> StandbyBoard? {
        guard !cluster.hasJournal, cluster.isMember else { return nil }
        let facts = StandbyFacts(
            role: cluster.standbyOf == nil ? .primary : .standby, epoch: opened.epoch.text, primary: cluster.standbyOf)
        return StandbyBoard(facts, schema: opened.schema)
    }
}
