import ClientProtocol
import EventLoop
import Fanout
import Mail
import Model
import Peers
import Services
import Synchronization
import Telemetry

extension LoopServer {
    /// So many readers make one `send` more for who also gets a reply cheap.
    private static let readersOfMany = 16
    /// About as many as a processor can wait for at once, and few enough to stay at hand until their turn.
    private static let fetchedTogether = 16

    /// Applies the steps of a commit, in their order.
    ///
    /// - Parameter isLast: whether no other commit follows in this turn.
    func deliver(_ steps: [LoopStep], isLast: Bool) {
        for (index, step) in steps.enumerated() { deliver(step, isLast: isLast && index == steps.count - 1) }
    }

    private func deliver(_ step: LoopStep, isLast: Bool) {
        switch step {
        case .run(let run): deliver(run, isLast: isLast)
        case .publication(let framed): deliver(framed)
        case .change(let change): apply(change)
        case .outcome(let address, let ticket, let outcome):
            if address.loop == number { answered(address, ticket, outcome) }
        }
    }

    private func deliver(_ run: PublicationRun, isLast: Bool) {
        if !recounts.isEmpty { recounts.note(run.notified, in: run.stream) }
        var singly = readersInOrder(of: run)
        var whole = deliver(run, in: run.stream, &singly, isLast: isLast)
        if let second = run.secondStream { whole += deliver(run, in: second, &singly, isLast: isLast) }
        countFrames.end()
        var next = 0
        for (index, framed) in run.publications.enumerated() {
            count(whole + deliver(framed, to: .several(singly)), framed)
            deliveredUpTo = framed.publication.position
            while next < run.between.count, run.between[next].place == index + 1 {
                deliver(run.between[next].step, isLast: false)
                next += 1
            }
        }
    }

    /// Readers of a run who get it one after the other, with what stands between. Replies and events of one connection come
    /// in the order of their positions, and counts are told that were true at the last event before them or later. Where no
    /// event comes behind the reply or the counts there is no order to keep.
    private func readersInOrder(of run: PublicationRun) -> [Slot] {
        var found: [Slot] = []
        var mayRepeat = false
        // By index: an element taken out of the array would be copied, with all that it refers to.
        for index in run.between.indices where run.between[index].place < run.publications.count {
            switch run.between[index].step {
            case .outcome(let address, .write, _):
                guard address.loop == number, found.last != address.slot, receives(run, address.slot) else { continue }
                mayRepeat = !found.isEmpty
                found.append(address.slot)
            case .change(.unread(let user, _, _)):
                mayRepeat = true
                for slot in hub.subscribers(of: user) where receives(run, slot) { found.append(slot) }
            case .outcome, .change, .publication, .run: break
            }
        }
        // A user may have a thousand sessions: they are not looked for one by one.
        return mayRepeat ? Array(Set(found)) : found
    }

    private func receives(_ run: PublicationRun, _ slot: Slot) -> Bool {
        hub.isSubscribed(slot, to: run.stream) || run.secondStream.map { hub.isSubscribed(slot, to: $0) } ?? false
    }

    /// - Parameter singly: has those who are not to take it as a whole, and gets those who cannot.
    /// - Returns: how many took it as a whole.
    private func deliver(
        _ run: PublicationRun, in stream: StreamID, _ singly: inout [Slot], isLast: Bool
    ) -> Int {
        let slots = hub.subscribers(of: stream)
        var whole = 0
        let writers = singly
        let isLast = isLast && slots.count >= Self.readersOfMany
        var place = 0
        noteCrowd(slots, of: stream)
        slots.forEach { slot in
            if place % Self.fetchedTogether == 0 { fetchReceivers(slots, from: place) }
            place += 1
            guard writers.isEmpty || !writers.contains(slot) else { return }
            switch receivers[Int(slot)]?.take(run, &countFrames, isLast: isLast) {
            case .whole: whole += 1
            case .singly: singly.append(slot)
            case .nothing, nil: break
            }
        }
        return whole
    }

    /// Looks at the next receivers, in a row and without anything between, so that the processor fetches them together.
    ///
    /// A thousand sessions are more than it keeps at hand, and each send drives out more: looked at one by one, each is
    /// waited for.
    private func fetchReceivers(_ slots: Subscribers, from place: Int) {
        guard case .several(let slots) = slots else { return }
        let receivers = receivers
        var areHere = true
        for slot in slots[place..<min(place + Self.fetchedTogether, slots.count)] {
            if let receiver = receivers[Int(slot)], receiver.tcp.loop !== loop { areHere = false }
        }
        precondition(areHere, "a session is delivered to on another loop than its own")
    }

    private func deliver(_ framed: FramedPublication) {
        let publication = framed.publication
        deliveredUpTo = publication.position
        if publication.unread == .oneMore, !recounts.isEmpty {
            recounts.note(publication)
        }
        var delivered = deliver(framed, in: publication.stream)
        if let second = publication.secondStream { delivered += deliver(framed, in: second) }
        // Who reads several of its streams has it by the first: nothing is taken that lies before a session's cursor.
        if let reach = publication.reach {
            for stream in reach.others { delivered += deliver(framed, in: stream) }
        }
        count(delivered, framed)
    }

    private func count(_ delivered: Int, _ framed: FramedPublication) {
        guard delivered > 0 else { return }
        settings.metrics.deliveries.add(delivered, ordering: .relaxed)
        if let broadcast = framed.publication.broadcast {
            settings.metrics.delivered(delivered, ofBroadcast: broadcast)
        }
    }

    private func deliver(_ framed: FramedPublication, in stream: StreamID) -> Int {
        let isWatched = framed.publication.document != nil
        let slots = isWatched ? watchers.subscribers(of: stream) : hub.subscribers(of: stream)
        noteCrowd(slots, of: stream)
        return deliver(framed, to: slots)
    }

    /// Has the writer know what it takes to deliver to many.
    private func noteCrowd(_ slots: Subscribers, of stream: StreamID) {
        guard slots.count >= Limits.crowdSessionsMin else { return }
        settings.peers.memory.crowds.note(stream, sessions: slots.count, at: SteadyTime.now)
    }

    private func deliver(_ framed: FramedPublication, to slots: Subscribers) -> Int {
        var delivered = 0
        let told = framed.publication.reach?.told ?? []
        slots.forEach { slot in
            if !told.isEmpty, told.contains(where: { hub.isSubscribed(slot, to: $0) }) { return }
            if session(in: slot)?.deliver(framed) == true { delivered += 1 }
        }
        return delivered
    }

    private func apply(_ change: SessionChange) {
        switch change {
        case .subscription(let user, let stream, let isOn):
            hub.setSubscription(of: user, to: stream, isOn: isOn)
            guard !isOn else { return }
            for slot in hub.subscribers(of: user) { withSession(in: slot) { $0.endWatches(following: stream) } }
        case .accessRules(let text): applyRules(text)
        case .unread(let user, let counts, let position):
            for slot in hub.subscribers(of: user) { withSession(in: slot) { $0.setCounts(counts, asOf: position) } }
        case .language(let user, let language):
            for slot in hub.subscribers(of: user) { withSession(in: slot) { $0.setChosenLanguage(language) } }
        case .preferences(let user, let stored, let isHidden):
            applyVisibility(of: user, isHidden: isHidden)
            let slots = hub.subscribers(of: user)
            guard !slots.isEmpty else { return }
            let read = DeliveryPreferences.stored(stored)
            for slot in slots { withSession(in: slot) { $0.identity?.setPreferences(stored, as: read) } }
        case .digestBegins(let user, let position):
            for slot in hub.subscribers(of: user) { withSession(in: slot) { $0.identity?.digestFirst = position } }
        case .snoozed: break
        case .revoked(let revocation): revoke(revocation)
        case .revocationLifted(let subject): lift(subject)
        case .kicked(let user, let reason): kick(user, reason: reason)
        }
    }

    /// Who shows himself to nobody from now on is offline for those who watched him.
    private func applyVisibility(of user: StreamID, isHidden: Bool) {
        guard isHidden else { return presence.show(user) }
        guard let (name, slots) = presence.hide(user) else { return }
        let signal = FramedSignal(Event.presence(user: name, online: false, lastSeen: nil))
        for slot in slots { withSession(in: slot) { $0.sendEphemeral(signal) } }
    }
}
