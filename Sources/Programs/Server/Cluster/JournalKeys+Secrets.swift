import Authentication
import Cluster
import Configuration

extension JournalKeys {
    /// The keys that belong to the secrets of a folder.
    ///
    /// - Parameter secrets: the newest first, as in the file.
    init(_ secrets: [ServerSecret]) { self.init(secrets.map { $0.authenticate(Array("watchwise journal".utf8)) }) }

    /// The keys of a folder, for a command of an operator.
    ///
    /// - Throws: ``StartProblem`` when there is no secret in it, or it cannot be read.
    init(ofFolder path: String) throws(StartProblem) {
        let secrets: [ServerSecret]?
        do {
            secrets = try ServerSecret.loadAll(fromFolder: path)
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)" + FolderOwner.hint(path))
        }
        guard let secrets else {
            throw StartProblem(
                isConfiguration: true,
                "there is no secret in \(path), by which the nodes of a cluster know each other: give --data, the folder of a "
                    + "node on this machine")
        }
        self.init(secrets)
    }
}
