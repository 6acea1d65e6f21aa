import Authentication
import Cluster
import Configuration
import Model
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
        let isMember = configuration.cluster.isMember && !isSimulated
        if isMember { try ClusterSecrets(configuration).check() }
        try self.init(configuration.data, log)
        guard isMember else { return }
        let start = ClusterStart(
            configuration: configuration, directory: directory, secrets: try secrets(), log: log)
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

    /// The secret, and after it those that sign no more, but whose tokens are accepted.
    func secrets() throws(StartProblem) -> [ServerSecret] {
        do {
            return [secret] + (try ServerSecret.loadAll(fromFolder: directory.path) ?? []).dropFirst()
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }

    /// The check of tokens, by the server's secrets, and by the keys of foreign issuers.
    func verifier(_ issuers: [IssuerConfiguration], audience: String?) throws -> TokenVerifier {
        TokenVerifier(
            secret: secret, older: Array(try secrets().dropFirst()), audience: audience,
            issuers: issuers.map(\.trusted))
    }

    /// The line of the start: somebody who reads the log later learns from it which program served which tables.
    func tellStart(at addresses: [String], loops: Int, _ epoch: Epoch, _ log: ServerLog) {
        log.info(
            "started",
            [
                "addresses": addresses.joined(separator: " "), "loops": "\(loops)", "version": ProgramVersion.current,
                "data": directory.path, "epoch": epoch.text, "tables": "\(ProgramWatch.ownSchema)",
            ])
    }
}
