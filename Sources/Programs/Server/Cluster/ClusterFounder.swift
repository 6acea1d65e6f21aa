import Authentication
package import Configuration
internal import Foundation
import JournalLink
import Model
import Store

/// Makes the journal of a cluster, and a folder's database the first one of it (`watchwise cluster init`).
///
/// A run that was cut short is begun again: the stream keeps the epoch of the database that it was made for, and the folder
/// becomes a member's last.
///
/// - Confinement: one thread
package struct ClusterFounder {
    /// The bounds of the journal's stream.
    ///
    /// - Confinement: any
    package struct Size: Sendable, Hashable {
        package var replicas: Int
        package var ageSecondsMax: Int64
        package var bytesMax: Int64

        package init(replicas: Int, ageSecondsMax: Int64, bytesMax: Int64) {
            self.replicas = replicas
            self.ageSecondsMax = ageSecondsMax
            self.bytesMax = bytesMax
        }

        /// Three copies, three days, 20 GiB.
        package static var standard: Size {
            let settings = StreamSettings()
            return Size(
                replicas: settings.replicas, ageSecondsMax: settings.ageSecondsMax, bytesMax: settings.bytesMax)
        }
    }

    /// The result.
    ///
    /// - Confinement: any
    package struct Report: Sendable, Hashable {
        package let stream: String
        package let epoch: String
        /// Names and versions of the journal's servers, in the order of their addresses.
        package let servers: [String]
        /// The checks that could not be made, in sentences.
        package let warnings: [String]
        /// Files that every other node must have in its folder before its first start.
        package let files: [String]
    }

    /// Time for each server to answer.
    private static let connectMilliseconds: Int64 = 10_000
    /// Servers that have just started need some seconds to elect a leader.
    private static let streamMilliseconds: Int64 = 30_000

    /// Makes the cluster.
    ///
    /// - Throws: ``StartProblem``; then the folder belongs to a server alone, as before.
    package static func found(
        _ configuration: ServerConfiguration, _ size: Size
    ) throws(StartProblem) -> Report {
        let options = try JournalOptions(configuration.cluster, name: "watchwise cluster init")
        var servers: [String] = []
        for address in options.addresses { servers.append(try greet(address, options)) }
        let talk = try JournalTalk(options)
        defer { talk.close() }
        try talk.connect(milliseconds: connectMilliseconds)
        let warnings = try checkMonitors(configuration.cluster.monitors, talk)
        let directory = try openFolder(configuration.data)
        let files = try makeSecrets(configuration)
        let writer = try openDatabase(directory)
        do {
            try makeStream(size, epoch: writer.epoch.text, talk)
            try writer.pass(Founding.beginning)
            try writer.close()
        } catch {
            try? writer.close()
            throw error as? StartProblem
                ?? StartProblem(isConfiguration: false, "the database in \(configuration.data): \(error)")
        }
        return Report(
            stream: options.stream, epoch: writer.epoch.text, servers: servers, warnings: warnings, files: files)
    }

    /// Connects to one server, so that each is checked by its own words.
    private static func greet(
        _ address: JournalAddress, _ options: JournalOptions
    ) throws(StartProblem) -> String {
        let talk = try JournalTalk(options.only(address))
        defer { talk.close() }
        try talk.connect(milliseconds: connectMilliseconds)
        guard let server = talk.client.server else {
            throw StartProblem(isConfiguration: false, "no connection to \(address): \(talk.reason)")
        }
        return "\(server.name) \(server.version)"
    }

    /// - Returns: what could not be checked.
    /// - Throws: ``StartProblem`` naming the setting of a server that is not as the journal needs it.
    private static func checkMonitors(_ urls: [String], _ talk: JournalTalk) throws(StartProblem) -> [String] {
        guard !urls.isEmpty else {
            return [
                "whether the journal's servers flush each message (jetstream { sync_interval: always }) and take large "
                    + "ones (max_payload: 8MB) was not checked: give --journal-monitor for that"
            ]
        }
        for (url, report) in zip(urls, talk.monitors(urls)) {
            switch report {
            case .failure(let failure):
                throw StartProblem(isConfiguration: true, "--journal-monitor: \(failure)")
            case .success(let report):
                guard report.differences.isEmpty else {
                    let problems = report.differences.map(\.description).joined(separator: "; ")
                    throw StartProblem(
                        isConfiguration: false, "the journal's server \(report.name) (\(url)): \(problems)")
                }
            }
        }
        return []
    }

    private static func openFolder(_ path: String) throws(StartProblem) -> DataDirectory {
        let standing: FolderStanding
        let directory: DataDirectory
        do {
            directory = try DataDirectory(path)
            standing = try Founding.standing(of: directory)
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)" + FolderOwner.hint(path))
        }
        switch standing {
        case .empty, .alone: return directory
        case .diverged(let sentence):
            throw StartProblem(isConfiguration: false, "the database in \(path) cannot be used: \(sentence)")
        case .member:
            throw StartProblem(
                isConfiguration: false,
                "\(path) is a member of a cluster already: start it with watchwise serve, or use another folder")
        }
    }

    private static func openDatabase(_ directory: DataDirectory) throws(StartProblem) -> Writer {
        do {
            return try Founding.open(directory)
        } catch {
            throw StartProblem(isConfiguration: false, "the database in \(directory.path) cannot be used: \(error)")
        }
    }

    /// Makes the secrets that all nodes must share.
    private static func makeSecrets(_ configuration: ServerConfiguration) throws(StartProblem) -> [String] {
        let secrets = ClusterSecrets(configuration)
        do {
            _ = try ServerSecret.loadOrCreate(inFolder: configuration.data)
            _ = try WebhookSecrets.loadOrCreate(path: secrets.webhooks)
            _ = try VAPIDKeys.loadOrCreate(path: secrets.push)
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
        return secrets.all
    }

    private static func makeStream(
        _ size: Size, epoch: String, _ talk: JournalTalk
    ) throws(StartProblem) {
        var settings = StreamSettings()
        settings.replicas = size.replicas
        settings.ageSecondsMax = size.ageSecondsMax
        settings.bytesMax = size.bytesMax
        settings.epoch = epoch
        let report = try talk.checkStream(settings, makes: true, milliseconds: streamMilliseconds)
        let name = talk.options.stream
        let way = "delete it with 'nats stream rm \(name)' if nobody needs it, or use another --journal-app"
        guard report.state.last == 0 else {
            throw StartProblem(
                isConfiguration: false,
                "the journal has a stream \(name) with entries up to \(report.state.last): it belongs to a cluster "
                    + "already. A new node of that cluster starts with an empty folder; \(way)")
        }
        guard report.differences.isEmpty else {
            let problems = report.differences.map(\.description).joined(separator: "; ")
            throw StartProblem(
                isConfiguration: false, "the stream \(name) is there with other settings, \(problems): \(way)")
        }
        guard report.state.epoch == epoch else {
            throw StartProblem(
                isConfiguration: false,
                "the stream \(name) was made for another database (epoch \(report.state.epoch ?? "unknown")): \(way)")
        }
    }
}
