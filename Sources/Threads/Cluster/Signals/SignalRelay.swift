import EventLoop
import Fanout
package import Model
import Synchronization
package import Telemetry
package import ThreadMessages

/// Carries everything that nobody keeps between this node's threads and the other nodes: presence, typing, claims of
/// devices, and the questions which users look.
///
/// It reads no clock and has no connection: its owner gives it the messages of both sides and the time, and publishes what
/// ``takePublications(at:)`` returns.
///
/// - Confinement: loop (the thread that connects the nodes)
package final class SignalRelay {
    /// A message for the other nodes.
    ///
    /// - Confinement: any
    package struct Publication: Sendable, Hashable {
        /// The subject's part after `ww.APP.`.
        package let subject: String
        package let bytes: [UInt8]
    }

    private let node: String
    private let boot: Int64
    private let mail: Mailboxes
    private let elsewhere: SessionsElsewhere?
    private let metrics: Metrics
    private let clock: WallClock
    private var own: OwnPresence
    private var others = OtherNodes()
    private var asked = AskedQuestions()
    private var served: ServedQuestions
    private var allowance = EventAllowance()
    private var publications: [Publication] = []

    /// - Parameters:
    ///   - node: the name of this node.
    ///   - boot: the time at which the process began, which distinguishes its runs.
    ///   - elsewhere: where the loops read how many sessions a user has on other nodes.
    package init(
        node: String, boot: Timestamp, mail: Mailboxes, elsewhere: SessionsElsewhere?, metrics: Metrics,
        clock: WallClock
    ) {
        self.node = node
        self.boot = boot.milliseconds
        self.mail = mail
        self.elsewhere = elsewhere
        self.metrics = metrics
        self.clock = clock
        own = OwnPresence(boot: boot.milliseconds)
        served = ServedQuestions(loops: mail.loops.count)
    }

    /// The parts after `ww.APP.` of the subjects whose messages it wants.
    package var subjects: [String] { NodeSignal.subjects(for: node) }

    /// The names of the other nodes that it has heard of lately.
    package var otherNodes: [String] { others.names }

    /// Takes what this node's threads say.
    ///
    /// - Parameter now: milliseconds of the loop's clock, as in the other functions.
    package func take(_ signal: OwnSignal, at now: Int64) {
        switch signal {
        case .arrived(let person): own.note(person, 1)
        case .left(let person): own.note(person, -1)
        case .ephemeral(let inboxes, let event): publish(inboxes, event, at: now)
        case .claimed(let device, let number): publish(.claim(device, number: number))
        case .outdated(let claim): publish(.outdated(claim.device, by: claim.number))
        case .looking(let question): ask(question, at: now)
        case .looked(let looking): if let answer = served.take(looking) { publish(.answer(answer)) }
        }
    }

    /// Takes a message of a node; those of this one are not used.
    package func receive(_ bytes: [UInt8], at now: Int64) {
        let (sender, signal): (String, NodeSignal)
        do {
            (sender, signal) = try NodeSignal.decode(bytes)
        } catch {
            // Another program wrote it, of a version that has something to say which this one does not know.
            metrics.journal.unreadableMessages.add(1)
            return
        }
        guard sender != node else { return }
        switch signal {
        case .presence(let presence):
            let (isNew, changes) = others.take(presence, of: sender, at: now, clock.now())
            if isNew { own.hurryList(at: now) }
            report(changes)
        case .ephemeral(let inboxes, let event): tellLoops(.signal(inboxes, FramedSignal(event)))
        case .claim(let device, let number):
            tellLoops(.claimedElsewhere(NodeClaim(device: device, number: number, winsTies: sender > node)))
        case .outdated(let device, let number): tellLoops(.outdated(OutdatedClaim(device: device, number: number)))
        case .question(let question):
            guard question.nodes.contains(node),
                let question = served.begin(question, of: sender, at: now)
            else { return }
            tellLoops(.lookingElsewhere(question))
        case .answer(let answer):
            guard answer.asker == node, answer.boot == boot else { return }
            if let whole = asked.take(answer, of: sender) { tell(whole) }
        }
    }

    /// The connection stands again: what was said meanwhile is lost.
    package func connected(at now: Int64) { own.hurryList(at: now) }

    /// Does what is due at this time. It is to be called every 100 ms at least.
    package func tick(at now: Int64) {
        report(others.endSilent(at: now))
        for answer in asked.overdue(at: now) { tell(answer) }
    }

    /// The messages to publish now, in this order.
    package func takePublications(at now: Int64) -> [Publication] {
        for presence in own.due(at: now, clock.now()) { publish(.presence(presence)) }
        defer { publications = [] }
        return publications
    }

    /// The node ends: the last message, which ends its sessions for the others at once.
    package func goodbye() -> Publication { publication(.presence(own.goodbye(clock.now()))) }
}

@available(*, unavailable)
extension SignalRelay: Sendable {}

extension SignalRelay {
    private func publish(_ signal: NodeSignal) { publications.append(publication(signal)) }

    private func publication(_ signal: NodeSignal) -> Publication {
        Publication(subject: signal.subject, bytes: signal.encoded(by: node))
    }

    private func publish(_ inboxes: [StreamID], _ event: EncodedEvent, at now: Int64) {
        guard !inboxes.isEmpty, !others.names.isEmpty else { return }
        let publication = publication(.ephemeral(inboxes, event))
        guard allowance.take(publication.bytes.count, at: now) else {
            metrics.signalsDropped.add(1)
            return
        }
        publications.append(publication)
    }

    private func ask(_ question: PushQuestion, at now: Int64) {
        let names = others.names(havingAnyOf: question.users)
        guard !names.isEmpty else { return tell(AskedQuestions.Answer(number: question.number, sessions: [])) }
        asked.begin(question.number, to: names, at: now)
        publish(
            .question(NodeQuestion(boot: boot, number: question.number, nodes: names, users: question.users)))
    }

    private func tell(_ answer: AskedQuestions.Answer) {
        mail.push?.post(.lookedElsewhere(number: answer.number, answer.sessions))
    }

    private func report(_ changes: [OtherNodes.Change]) {
        guard !changes.isEmpty else { return }
        for change in changes { elsewhere?.set(change.after, of: change.person.name) }
        let turns = changes.filter(\.isTurn).map { PresenceElsewhere($0.person, isOnline: $0.after > 0, at: $0.at) }
        if !turns.isEmpty { tellLoops(.presenceElsewhere(turns)) }
    }

    private func tellLoops(_ message: LoopMessage) { for loop in mail.loops { loop.post(message) } }
}
