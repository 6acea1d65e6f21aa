import Authentication
import Cluster
import Configuration
import Store
import Telemetry

/// The folder of a server, locked for it, and the secret in it.
///
/// - Confinement: the thread that starts the server
struct ServerFolder {
    let directory: DataDirectory
    let secret: ServerSecret

    /// Locks the folder for this server, and reads or makes its secret. A member of a cluster makes none, and gets the
    /// database of the cluster where it needs it.
    init(_ configuration: ServerConfiguration, _ log: ServerLog, isSimulated: Bool = false) throws {
        let isMember = configuration.cluster.hasJournal && !isSimulated
        if isMember || configuration.cluster.standbyOf != nil { try ClusterSecrets(configuration).check() }
        try self.init(configuration.data, log)
        guard isMember else {
            if isSimulated { return }
            try StandbyStart(configuration: configuration, directory: directory, secret: secret, log: log).prepare()
            return
        }
        let start = ClusterStart(
            configuration: configuration, directory: directory, secret: secret, log: log
        ) { try? HeartbeatMessage($0).heartbeat }
        try start.prepare()
    }

    /// Locks a folder, and reads or makes its secret.
    init(_ path: String, _ log: ServerLog) throws {
        do {
            directory = try DataDirectory(path)
            if let mode = directory.modeBefore {
                log.warning(
                    "other users could open the folder; now only its owner can",
                    ["folder": path, "mode": String(mode, radix: 8)])
            }
            secret = try ServerSecret.loadOrCreate(inFolder: path)
        } catch let problem as DataDirectory.Problem {
            throw StartProblem(isConfiguration: false, problem.description + FolderOwner.hint(path))
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }

    /// The secrets that sign no more, but whose tokens are accepted.
    private func olderSecrets() throws(StartProblem) -> [ServerSecret] {
        do {
            return try ServerSecret.loadAll(fromFolder: directory.path).map { Array($0.dropFirst()) } ?? []
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }

    /// The check of tokens, by the server's secrets, and by the keys of foreign issuers.
    func verifier(_ issuers: [IssuerConfiguration], audience: String?) throws -> TokenVerifier {
        TokenVerifier(
            secret: secret, older: try olderSecrets(), audience: audience,
            issuers: issuers.map(\.trusted))
    }
}
