import Authentication
import Configuration
import EventLoop
import Journal
import Model
import Store
import Telemetry
import ThreadMessages

/// Brings the folder of a primary or a standby into a state from which it can start, before the server's threads do.
///
/// - Confinement: the thread that starts the server
struct StandbyStart {
    private static let lookMilliseconds: Int64 = 2000

    let configuration: ServerConfiguration
    let directory: DataDirectory
    let secret: ServerSecret
    let log: ServerLog
    var patience = ClusterStart.Patience()

    private var folder: StandbyFolder { StandbyFolder(path: directory.path) }

    /// Does what the folder needs, with the effective configuration; on a server that is alone as well.
    ///
    /// - Throws: ``StartProblem``.
    func prepare() throws(StartProblem) {
        let cluster = configuration.cluster
        do {
            // Only a primary numbers its commits: a later one must know that.
            if !cluster.keepsCommits { try folder.remove(.kept) }
            if cluster.standbyOf == nil {
                try folder.remove(.end)
                try renew()
            }
            // A standby needs it, also when no webhook was ever made.
            if cluster.keepsCommits {
                _ = try WebhookSecrets.loadOrCreate(path: ClusterSecrets(configuration).webhooks)
            }
        } catch { throw problem(error) }
        if cluster.keepsCommits, let standby = folder.text(of: .standby) { try checkStandby(standby) }
        guard let address = cluster.standbyOf else { return }
        try follow(address)
        do {
            try folder.put(.following, address)
        } catch { throw problem(error) }
    }

    private func problem(_ error: any Error) -> StartProblem {
        StartProblem(isConfiguration: false, "the folder \(directory.path) cannot be used: \(error)")
    }

    private func failure(_ sentence: String) -> StartProblem { StartProblem(isConfiguration: false, sentence) }

    /// The epoch of a standby that cannot know whether it has everything.
    private func renew() throws {
        guard let primary = folder.text(of: .promotedLate) else { return }
        try folder.forgetWitness()
        try folder.put(.promoted, primary)
        try folder.remove(.promotedLate)
    }

    // MARK: A primary

    /// - Throws: ``StartProblem`` when the standby has taken this server's place.
    private func checkStandby(_ address: String) throws(StartProblem) {
        var role: String?
        try asking(address) { calls, turned in
            var isAnswered = false
            calls.role { (role, isAnswered) = ($0, true) }
            turned.wait(milliseconds: Self.lookMilliseconds) { isAnswered }
        }
        guard role == StandbyFacts.Role.primary.rawValue else { return }
        throw failure(
            "the standby \(address) has taken this server's place. Start this one with an empty folder and --standby-of "
                + "\(address); or, if that one never served, end it and remove the file "
                + "\(directory.path)/\(StandbyFolder.Mark.standby.rawValue)")
    }

    // MARK: A standby

    private func follow(_ address: String) throws(StartProblem) {
        let standing: FolderStanding
        do {
            standing = try Founding.standing(of: directory)
        } catch { throw problem(error) }
        switch standing {
        case .alone:
            throw failure(
                "the database in \(directory.path) is no standby's: a standby begins with an empty folder, which has the "
                    + "primary's secrets only")
        case .empty: try copy(from: address)
        case .diverged(let sentence):
            do {
                let stamp = configuration.clock.now().text.replacing(":", with: "-")
                let kept = try Founding.putAside(directory, stamp: stamp)
                log.error(
                    "this standby's database was not its primary's; it is kept, and another one is fetched",
                    ["kept": kept, "reason": sentence])
            } catch { throw problem(error) }
            try copy(from: address)
        case .member(let found): if try isGone(found, address) { try copy(from: address) }
        }
    }

    /// Whether the primary no longer remembers what this standby lacks. One that does not answer is asked again later.
    private func isGone(_ found: FoundDatabase, _ address: String) throws(StartProblem) -> Bool {
        var question = StandbyQuestion(place: found.place, schema: Founding.schema)
        question.epoch = found.epoch.text
        switch try ask(question, address, milliseconds: patience.journalMilliseconds) {
        case .gone:
            log.warning(
                "the primary no longer remembers what this standby lacks: it fetches a new copy", isChange: true)
            return true
        case .foreign(let sentence), .refused(let sentence): throw cannotFollow(address, sentence)
        case .failed(let reason):
            log.warning("the primary does not answer yet", ["reason": reason], isChange: true)
            return false
        case .page: return false
        }
    }

    private func cannotFollow(_ address: String, _ sentence: String) -> StartProblem {
        failure("\(directory.path) cannot be the standby of \(address): \(sentence)")
    }

    private func copy(from address: String) throws(StartProblem) {
        let end = ContinuousClock.now + .milliseconds(patience.joinMilliseconds)
        while true {
            let reason: String
            let question = StandbyQuestion(schema: Founding.schema)
            switch try ask(question, address, milliseconds: patience.journalMilliseconds) {
            case .foreign(let sentence), .refused(let sentence): throw cannotFollow(address, sentence)
            case .failed(let text): reason = text
            case .gone, .page:
                guard let problem = try fetch(from: address) else { return }
                reason = problem.description
            }
            guard ContinuousClock.now < end else {
                throw failure("the primary \(address) gave no database: \(reason)")
            }
            log.warning("the primary gives no database yet", ["reason": reason])
            let pause = try TurnedLoop()
            pause.wait(milliseconds: 1000) { false }
            pause.close()
        }
    }

    /// - Returns: why there is no database from there.
    private func fetch(from address: String) throws(StartProblem) -> DatabaseFetch.Problem? {
        let turned = try TurnedLoop()
        defer { turned.close() }
        do throws(DatabaseFetch.Problem) {
            try DatabaseFetch(
                from: NodeOffer(node: nil, address: address), on: turned, configuration, directory, secret, log,
                patience
            ).run { _ in }
        } catch { return error }
        do {
            try folder.forget()
        } catch { throw problem(error) }
        return nil
    }

    // MARK: Questions

    private func ask(
        _ question: StandbyQuestion, _ address: String, milliseconds: Int64
    ) throws(StartProblem) -> PrimaryCalls.Answer {
        var answer: PrimaryCalls.Answer?
        try asking(address) { calls, turned in
            calls.ask(question) { answer = $0 }
            turned.wait(milliseconds: milliseconds) { answer != nil }
        }
        return answer ?? .failed("no answer in \(milliseconds / 1000) s")
    }

    private func asking(_ address: String, _ ask: (PrimaryCalls, TurnedLoop) -> Void) throws(StartProblem) {
        let turned = try TurnedLoop()
        defer { turned.close() }
        do {
            let calls = try PrimaryCalls(address, secret: secret, configuration, on: turned.loop)
            ask(calls, turned)
            calls.close()
        } catch {
            throw failure("the server \(address) cannot be asked: \(error)")
        }
    }
}
