package import Configuration
package import EventLoop
import Execution
import Feeds
import Model
package import Outbound
import Services
package import Store
import Synchronization
package import Telemetry
package import ThreadMessages

/// Fetches the feeds: asks for what is due, reads the answers, and hands the changes to the writer.
///
/// It compares with what is stored on a connection of its own, so that an answer without news costs no transaction. One
/// commit contains what an answer changes, and the validators by which the source will recognize it.
///
/// On a member of a cluster only the node that leads fetches. A node that leads no more forgets what it was about; when it
/// leads again, it reads everything from the database.
///
/// - Confinement: loop
package final class FeedKeeper {

    let loop: Loop
    let reader: Reader
    let client: OutboundClient
    let clock: WallClock
    let metrics: Metrics
    let log: ServerLog
    private let configured: [FeedConfiguration]
    private let mail: Mailboxes
    private let board: FeedBoard
    private let trials: FeedTrials
    var feeds: [String: FeedWork] = [:]
    /// Writes that the writer has, by number.
    var writes: [Int: FeedWrite] = [:]
    var random = SystemRandomNumberGenerator()
    private var lastNumber = 0
    /// When the stored feeds are to be read: at the start, and again after that has failed.
    private var loadsAt: Int64?
    private(set) var timer: LoopTimer?
    private var isOnDuty: Bool

    /// - Parameter isOnDuty: whether it fetches from the beginning; otherwise a message begins its duty.
    package init(
        _ configured: [FeedConfiguration], reader: Reader, client: OutboundClient, on loop: Loop, board: FeedBoard,
        mail: Mailboxes, clock: WallClock, metrics: Metrics, log: ServerLog, isOnDuty: Bool = true
    ) {
        self.isOnDuty = isOnDuty
        self.configured = configured
        self.reader = reader
        self.client = client
        self.loop = loop
        self.board = board
        self.mail = mail
        self.clock = clock
        self.metrics = metrics
        self.log = log
        trials = FeedTrials(reader, client, clock, metrics, log, answering: mail.loops)
        loadsAt = isOnDuty ? loop.now : nil
        timer = LoopTimer(on: loop) { [unowned self] in goOn() }
        timer?.start(afterMilliseconds: 0)
    }

    /// Takes what other threads say.
    ///
    /// - Returns: true when it has stopped.
    package func receive(_ messages: [FeedMessage]) -> Bool {
        for message in messages {
            switch message {
            case .changed: if isOnDuty { load() }
            case .duty(let isOn): setDuty(isOn)
            case .run(let name):
                feeds[name]?.isHurried = true
                feeds[name]?.looksAt = 0
                feeds[name]?.pace = FeedPace()
            case .tryOut(let definition, let secret, let address):
                // Trials write nothing, so every node makes them; one that keeps no feeds looks up the key.
                if !isOnDuty { load() }
                trials.begin(definition, secret, feeds[definition.name], for: address)
            case .written(let number, let outcome): written(number, outcome)
            case .stop:
                stop()
                return true
            }
        }
        goOn()
        return false
    }

    private func setDuty(_ isOn: Bool) {
        guard isOn != isOnDuty else { return }
        isOnDuty = isOn
        // Answers to requests under way belong to feeds that are no more, and are not used.
        (feeds, writes) = ([:], [:])
        loadsAt = isOn ? loop.now : nil
        timer?.stop()
        show()
    }

    /// A number that was not given before.
    func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Takes the feeds as they are configured and stored; those that are the same go on as they are.
    private func load() {
        loadsAt = nil
        do {
            let stored = try reader.read { try $0.feeds.all() }
            var rows = configured.map { ($0.definition, $0.key?.text) }
            for row in stored where !rows.contains(where: { $0.0.name == row.name }) {
                do {
                    rows.append((try FeedDefinition(try StoredJSON.object(row.row, place: "feeds.row")), row.key))
                } catch {
                    log.error("a feed cannot be read", ["feed": row.name, "error": "\(error)"])
                }
            }
            feeds = try rows.reduce(into: [:]) { new, row in new[row.0.name] = try work(row.0, row.1) }
        } catch {
            log.error("the feeds cannot be read", ["error": "\(error)"])
            loadsAt = loop.now + FeedLimits.storageRetryMilliseconds
        }
        show()
    }

    private func work(_ definition: FeedDefinition, _ key: String?) throws -> FeedWork {
        if let work = feeds[definition.name], work.definition == definition, work.key == key { return work }
        let progress = try reader.read { try $0.feeds.progress(of: definition.name) }
        return FeedWork(definition, key: key, number: newNumber(), progress: progress)
    }

    /// Looks for what is due, sends what may be sent, and sleeps until there is more to do.
    func goOn() {
        guard timer != nil, isOnDuty else { return }
        if let loadsAt, loop.now >= loadsAt { load() }
        var wakesAt = loadsAt ?? .max
        for name in feeds.keys {
            look(name)
            send(name)
            // While answers are awaited, they are what wakes.
            if let wake = feeds[name]?.wakesAt { wakesAt = min(wakesAt, wake) }
        }
        show()
        if wakesAt < .max { timer?.start(afterMilliseconds: max(0, wakesAt - loop.now)) }
    }

    /// Begins a round of a feed when it is time.
    private func look(_ name: String) {
        guard var work = feeds[name], work.definition.isEnabled || work.isHurried, work.queue.isEmpty,
            work.underWay.isEmpty, loop.now >= work.looksAt, loop.now >= work.pace.until
        else { return }
        do {
            let wanted = try reader.read { transaction in
                try work.definition.targets { kind in
                    try transaction.feeds.followed(kind: kind, limit: FeedLimits.followedMax)
                }
            }
            if work.begin(wanted, now: clock.now(), tick: loop.now) > 0 { work.status.rounds += 1 }
        } catch {
            log.error("the follows cannot be read", ["feed": name, "error": "\(error)"])
        }
        work.isHurried = false
        work.looksAt = work.nextLook(now: clock.now(), tick: loop.now)
        feeds[name] = work
    }

    /// Sends what the feed's pace admits.
    private func send(_ name: String) {
        while let work = feeds[name], loop.now >= work.startsAt, work.underWay.count < FeedLimits.underWayMax,
            let target = feeds[name]?.next()
        {
            feeds[name]?.underWay.insert(target.key)
            feeds[name]?.startsAt = loop.now + 1000 / work.definition.requestsPerSecond
            feeds[name]?.status.requests += 1
            fetch(target, of: work)
        }
    }

    /// Shows the loops the status of the feeds.
    private func show() {
        for name in feeds.keys {
            guard let work = feeds[name] else { continue }
            feeds[name]?.status.waiting = work.queue.count + work.underWay.count
            feeds[name]?.status.failing = work.failing.count
        }
        board.show(feeds.mapValues(\.status))
        metrics.feedsFailing.set(feeds.values.count { !$0.failing.isEmpty })
    }

    /// Hands a write to the writer.
    func post(_ useCase: ApplyFeed, number: Int?) {
        metrics.writesPending.add(1)
        let request = WriteRequest(actor: .server, at: clock.now(), useCase: useCase)
        mail.writer.post(.write(WriteOrder(address: nil, ticket: .none, request: request, feedWrite: number)))
    }

    /// Writes when everything was looked at, which a round without news did not write, so that the next start does not
    /// ask for all of it.
    private func stop() {
        for (name, work) in feeds where isOnDuty && !work.known.isEmpty || !work.forgotten.isEmpty {
            let progress = work.allProgress
            guard !progress.isEmpty || !work.forgotten.isEmpty else { continue }
            post(
                ApplyFeed(
                    feed: name, drafts: [], progress: progress, forgotten: Array(work.forgotten), isQuiet: true),
                number: nil)
        }
        timer?.close()
        timer = nil
        trials.stop()
        client.close()
        do {
            try reader.close()
        } catch {
            log.error("the feeds' connection did not close cleanly", ["error": "\(error)"])
        }
    }
}

@available(*, unavailable)
extension FeedKeeper: Sendable {}
