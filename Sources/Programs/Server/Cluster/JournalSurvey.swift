package import Configuration
import JournalLink

/// The state of the journal and its servers, in their own words, for `watchwise cluster status` and `check`.
///
/// - Confinement: any
package struct JournalSurvey: Sendable {
    /// A server, by its monitoring port.
    ///
    /// - Confinement: any
    package struct Server: Sendable, Hashable {
        package let url: String
        /// Nil when it does not answer.
        package var name: String?
        package var version = ""
        /// `always`, or how often it flushes.
        package var sync = ""
        package var payloadBytesMax = 0
        /// The newest entry that it has; nil when it has no copy of the stream.
        package var last: UInt64?
        /// The part of a stream that does not work on this server, in its own words.
        var ailment: String?
        /// Settings that are not as the journal needs them, and the reason why it does not answer.
        package var problems: [String] = []
    }

    package let stream: String
    package private(set) var servers: [Server] = []
    package private(set) var replicas = 0
    package private(set) var first: UInt64 = 0
    package private(set) var last: UInt64 = 0
    package private(set) var bytes: Int64 = 0
    package private(set) var leader = ""
    package private(set) var epoch: String?
    /// Settings that are not as the journal needs them.
    package private(set) var problems: [String] = []

    private static let connectMilliseconds: Int64 = 5000
    private static let stateMilliseconds: Int64 = 5000

    /// Asks the monitoring ports of the settings, and if wanted the stream.
    ///
    /// - Throws: ``StartProblem`` when the settings cannot be used.
    package init(of configuration: ServerConfiguration, withStream: Bool) throws(StartProblem) {
        let options = try JournalOptions(configuration.cluster, name: "watchwise cluster")
        let talk = try JournalTalk(options)
        defer { talk.close() }
        stream = options.stream
        let urls = configuration.cluster.monitors
        servers = zip(urls, talk.monitors(urls)).map { Self.server($0, $1) }
        if withStream { look(at: talk) }
    }

    private static func server(_ url: String, _ result: Result<JournalServerReport, JournalFailure>) -> Server {
        var server = Server(url: url)
        switch result {
        case .failure(let failure): server.problems = ["\(failure)"]
        case .success(let report):
            server.name = report.name
            server.version = report.version.map { "\($0)" } ?? "unknown"
            server.sync = report.syncsAlways ? "always" : "\(report.syncSeconds) s"
            server.payloadBytesMax = report.payloadBytesMax
            server.last = report.stream?.last
            server.ailment = report.ailment
            server.problems = report.differences.map(\.description)
        }
        return server
    }

    private mutating func look(at talk: JournalTalk) {
        do throws(StartProblem) {
            try talk.connect(milliseconds: Self.connectMilliseconds)
            guard let state = try talk.state(milliseconds: Self.stateMilliseconds) else {
                problems.append("the journal has no stream \(stream): 'watchwise cluster init' makes it")
                return
            }
            first = state.first
            last = state.last
            bytes = state.bytes
            leader = state.leader
            epoch = state.epoch
            noteAilments()
            problems += differences(of: state, talk.options)
            // The leader's own copy is one more.
            if state.currentReplicas + 1 < replicas { problems.append(missingCopies(state.currentReplicas + 1)) }
        } catch {
            problems.append(error.description)
        }
    }

    /// A new server is not well until the first stream is made, so only a journal that exists is looked at.
    private mutating func noteAilments() {
        for place in servers.indices {
            guard let ailment = servers[place].ailment else { continue }
            servers[place].problems.append(
                "it is not well: \(ailment); if that stays, and its log names damaged files, it needs an empty store_dir"
            )
        }
    }

    /// A server that cannot read its files goes on with fewer entries, or without the stream, and does not mend it.
    private func missingCopies(_ whole: Int) -> String {
        let late = servers.filter { ($0.last ?? 0) < last }.min { $0.last ?? 0 < $1.last ?? 0 }
        let name = late.map { server in
            " (\(server.name ?? server.url) has "
                + (server.last.map { "entries up to \($0) of \(last))" } ?? "no copy)")
        }
        return "only \(whole) of \(replicas) copies are whole\(name ?? ""): a server that does not catch up by itself, "
            + "as its log says, needs an empty store_dir"
    }

    /// Age, size and copies are the operator's choice; everything else is the journal's.
    private mutating func differences(of state: StreamState, _ options: JournalOptions) -> [String] {
        let settings = StreamSettings(chosenFor: state)
        replicas = settings.replicas
        var found = settings.differences(from: state.configuration, options).map(\.description)
        if let version = state.version, version < .oldest {
            found.append("\(state.leader), which leads the stream, has version \(version), not \(ServerVersion.oldest)")
        }
        if state.epoch == nil { found.append("the stream does not say the cluster's epoch: init did not make it") }
        return found
    }
}
