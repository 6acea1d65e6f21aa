import EventLoop
import Journal
import Model
import Store
import Telemetry
import ThreadMessages

/// The journal of a primary: it numbers the writer's commits, and keeps the newest for a standby once the database has them.
///
/// The writer waits for a number only, never for the standby. So a standby has no commit that the primary's database lacks,
/// and may lack some that the primary's has.
///
/// - Confinement: loop
final class PrimaryJournal: StandbyRole {
    /// Of the writer.
    private enum Phase: Equatable {
        /// It gets its `lead`.
        case starting
        case leading
        /// No standby has asked for long: commits are neither numbered nor kept.
        case resting
        /// Its database cannot be written now.
        case failed
        /// It commits nothing more: the server stops, or its standby goes on in its place.
        case ending(StandbyFacts.Role)
    }

    private static let keptBytesMax = 64 << 20

    private let surroundings: StandbySurroundings
    private let board: StandbyBoard
    private let folder: StandbyFolder
    /// After this time without a standby it rests.
    private let keepMilliseconds: Int64
    private var phase = Phase.starting
    private var term: UInt64
    /// The newest number given.
    private var last: UInt64
    /// Entries that the database may not have yet.
    private var pending: [StandbyPage.Entry] = []
    /// Since when it has kept commits.
    private var keptSince = SteadyTime.now
    /// The standby's address as it is in the folder.
    private var address: String?
    private var timer: LoopTimer?

    /// - Throws: the file system's error.
    init(_ opened: OpenedDatabase, keepMilliseconds: Int64, in surroundings: StandbySurroundings) throws {
        self.surroundings = surroundings
        self.keepMilliseconds = keepMilliseconds
        folder = surroundings.folder
        board = surroundings.board
        address = folder.text(of: .standby)
        let place = opened.place ?? JournalPlace(sequence: 0, term: 0)
        term = place.term
        last = place.sequence
        let entries = try folder.takeEntries(upTo: place, schema: opened.schema)
        if folder.has(.kept) {
            let start = entries.first?.place ?? place
            var recent = RecentEntries(after: start, bytesMax: Self.keptBytesMax)
            for entry in entries.dropFirst() { recent.append(entry) }
            board.keep(recent)
        } else {
            try keepAnew()
        }
        timer = LoopTimer(on: surroundings.loop) { [unowned self] in look() }
        timer?.start(afterMilliseconds: 1000, repeatingMilliseconds: 1000)
        lead()
    }

    func take(_ message: ClusterMessage) {
        switch message {
        case .order(let parts, let wait): order(parts, wait)
        case .applied(let place, _): applied(place)
        case .databaseFailed:
            if phase == .starting || phase == .leading || phase == .resting { phase = .failed }
            report()
        case .hand(let commands): refuse(commands)
        case .stepDown: handOver()
        case .prepareToStop: prepareToStop()
        case .signal(.looking(let question)):
            // There are no other nodes.
            surroundings.mail.push?.post(.lookedElsewhere(number: question.number, []))
        case .diverged, .unfit, .digested, .forget, .answer, .signal, .promote, .stop: break
        }
    }

    func close() {
        timer?.close()
        timer = nil
        guard phase != .resting else { return }
        do {
            try folder.keep(board.entries)
        } catch {
            surroundings.log.warning("the newest commits are not kept for the standby", ["error": "\(error)"])
        }
    }

    // MARK: Numbers

    /// Larger than every earlier one, also than those of another server with a copy of this history.
    private var nextTerm: UInt64 { max(term + 1, UInt64(max(0, surroundings.clock.now().milliseconds))) }

    /// Begins after commits that were not numbered: the entries come after a place that no database has.
    ///
    /// - Throws: the file system's error.
    private func keepAnew() throws {
        last += 1
        term = nextTerm
        try folder.put(.kept, "every commit since this file was written was kept for a standby")
        board.keep(RecentEntries(after: JournalPlace(sequence: last, term: term), bytesMax: Self.keptBytesMax))
    }

    /// Lets the writer lead.
    private func lead() {
        phase = .starting
        term = nextTerm
        last += 1
        keptSince = SteadyTime.now
        let place = JournalPlace(sequence: last, term: term)
        let author = JournalEntry.Author(term: term, node: surroundings.node, schema: surroundings.schema)
        let entry = EntryWriter(author).lead(program: surroundings.program)
        pending = [StandbyPage.Entry(place: place, parts: [entry])]
        surroundings.mail.writer.post(.lead(place))
        report()
    }

    private func order(_ parts: [EncodedEntry], _ wait: CommitWait) {
        // A resting writer may not know yet that it rests.
        guard phase == .leading || phase == .resting else { return wait.fill(.fenced) }
        last += 1
        let place = JournalPlace(sequence: last, term: term)
        pending.append(StandbyPage.Entry(place: place, parts: parts.map(\.bytes)))
        wait.fill(.stored(place))
    }

    private func applied(_ place: JournalPlace) {
        let count = pending.prefix { $0.place.sequence <= place.sequence }.count
        for entry in pending[..<count] { board.append(entry) }
        pending.removeFirst(count)
        switch phase {
        case .starting:
            guard place.sequence >= last else { return }
            phase = .leading
            report()
        case .failed:
            // Its database works again. The commits that it does not have are undone.
            last = place.sequence
            if folder.has(.kept) { lead() } else { goOn() }
        case .leading, .resting: break
        case .ending: report()
        }
    }

    // MARK: Resting

    private func look() {
        let asked = board.asked
        noteAddress(asked?.question.address)
        let silent = SteadyTime.now - max(keptSince, asked?.at ?? 0)
        if phase == .leading, silent >= keepMilliseconds {
            rest()
        } else if phase == .resting, silent < keepMilliseconds {
            goOn()
        }
        report()
    }

    /// Keeps the standby's address for the next start, which asks there whether this server was replaced.
    private func noteAddress(_ address: String?) {
        guard let address, address != self.address else { return }
        do {
            try folder.put(.standby, address)
            self.address = address
        } catch {
            surroundings.log.warning("the standby's address cannot be noted", ["error": "\(error)"])
        }
    }

    private func rest() {
        do {
            try folder.remove(.kept)
        } catch {
            return surroundings.log.warning("commits are kept on for a standby", ["error": "\(error)"])
        }
        phase = .resting
        board.keep(nil)
        surroundings.mail.writer.post(.rest)
        surroundings.log.info("no standby asks: commits are not kept any more until one does")
    }

    private func goOn() {
        do {
            try keepAnew()
        } catch {
            return surroundings.log.warning("commits cannot be kept for a standby", ["error": "\(error)"])
        }
        surroundings.log.info("a standby asks: commits are kept for it")
        lead()
    }

    // MARK: The end

    /// Ends the writes of this server for good, so that its standby may go on with nothing missing.
    private func handOver() {
        guard phase == .leading else { return }
        do {
            try folder.put(.handedOver, "its standby has this history since \(surroundings.clock.now().text)")
        } catch {
            return surroundings.log.error("this server cannot be handed over", ["error": "\(error)"])
        }
        surroundings.log.warning(
            "this server is handed over to its standby: it takes no writes any more", isChange: true)
        end(.handedOver)
    }

    /// Ends the writes before the sessions end, if a standby follows: it gets all of them.
    private func prepareToStop() {
        guard phase == .leading, board.lacksEnd(at: SteadyTime.now) else { return }
        end(.stopping)
    }

    private func end(_ role: StandbyFacts.Role) {
        phase = .ending(role)
        noteAddress(board.asked?.question.address)
        surroundings.mail.writer.post(.follow)
        report()
    }

    /// The clients of a primary that has ended its writes are to send them elsewhere. Before, the writes wait until it leads.
    private func refuse(_ commands: [HandedCommand]) {
        guard case .ending(let role) = phase else { return }
        let sentence =
            role == .handedOver
            ? "this server was handed over to its standby, and takes no writes: repeat it there with the same key"
            : "this server stops: repeat it with the same key"
        surroundings.refuse(commands, sentence)
    }

    private func report() {
        var (role, problem): (StandbyFacts.Role, String?) = (.primary, nil)
        switch phase {
        case .leading, .resting: break
        case .starting: problem = "it has just started"
        case .failed: problem = "its database cannot be written"
        // The standby may have the end when the database has all that was numbered.
        case .ending(let end): if pending.isEmpty { role = end }
        }
        let facts = board.show(role, problem: problem)
        let leads = phase == .leading || phase == .resting
        var standing = NodeStanding.Facts()
        standing.role = role == .handedOver ? .stopped : leads ? .leading : .following
        standing.term = term
        standing.leader = leads ? surroundings.node : nil
        (standing.applied, standing.last) = (facts.applied, facts.last)
        surroundings.show(standing)
        let read = board.asked?.question.place?.sequence ?? facts.last
        surroundings.metrics.journal.show(standbyLag: facts.last - min(facts.last, read))
    }
}

@available(*, unavailable)
extension PrimaryJournal: Sendable {}
