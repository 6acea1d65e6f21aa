import EventLoop
import Fanout
import Model
import Quotas
import Synchronization
import Telemetry
import ThreadMessages

/// Brings the steps of commits to the sessions of one loop, in their order.
///
/// - Confinement: loop
final class Delivery {
    /// From this number of readers on, one `send` more for those that also get a reply is cheap.
    private static let readersOfMany = 16
    /// About as many as a processor can wait for at once, and few enough to stay in its cache until their turn.
    private static let fetchedTogether = 16

    private let number: Int
    private let loop: Loop
    private let settings: LoopSettings
    private let door: SessionDoor
    private let hub: Hub
    private let table: ConnectionTable
    private let changes: ChangeDelivery

    /// - Parameters:
    ///   - number: of the loop.
    ///   - changes: applies the steps that are no events.
    init(ofLoop number: Int, _ door: SessionDoor, _ table: ConnectionTable, _ changes: ChangeDelivery) {
        self.number = number
        loop = door.loop
        settings = door.settings
        self.door = door
        hub = door.hub
        self.table = table
        self.changes = changes
    }

    /// Applies the steps of a commit, in their order.
    ///
    /// - Parameter isLast: whether no other commit follows in this turn.
    func deliver(_ steps: [LoopStep], isLast: Bool) {
        for (index, step) in steps.enumerated() { deliver(step, isLast: isLast && index == steps.count - 1) }
    }

    private func deliver(_ step: LoopStep, isLast: Bool) {
        switch step {
        case .run(let run, let between): deliver(run, between, isLast: isLast)
        case .publication(let framed): deliver(framed)
        case .change(let change): changes.apply(change)
        case .outcome(let address, let ticket, let outcome):
            guard address.loop == number else { return }
            door.orders.arrived(outcome)
            table.connection(at: address)?.answered(ticket, outcome)
        }
    }

    // MARK: Runs

    private func deliver(_ run: PublicationRun, _ between: [LoopStep.Between], isLast: Bool) {
        if !door.counts.isEmpty { door.counts.note(run.notified, in: run.stream) }
        var singly = readersInOrder(of: run, between)
        var whole = deliver(run, in: run.stream, &singly, isLast: isLast)
        if let second = run.secondStream { whole += deliver(run, in: second, &singly, isLast: isLast) }
        door.frames.counts.end()
        var next = 0
        for (index, framed) in run.publications.enumerated() {
            count(whole + deliver(framed, to: .several(singly)), framed)
            door.log.delivering(framed.publication.position)
            while next < between.count, between[next].place == index + 1 {
                deliver(between[next].step, isLast: false)
                next += 1
            }
        }
    }

    /// The readers of a run that get its publications one after the other, with the steps between them. Replies and events
    /// of one connection come in the order of their positions, and counts are sent that were true at the last event before
    /// them or later. Where no event comes after the reply or the counts there is no order to keep.
    private func readersInOrder(of run: PublicationRun, _ between: [LoopStep.Between]) -> [Slot] {
        var found: [Slot] = []
        var mayRepeat = false
        // By index: an element taken out of the array would be copied, with all that it refers to.
        for index in between.indices {
            let isLast = between[index].place == run.publications.count
            // Messages of the run make the room unread, and by its end it is read.
            if isLast, run.messages == nil { continue }
            switch between[index].step {
            case .outcome(let address, .write, _) where !isLast:
                guard address.loop == number, found.last != address.slot, receives(run, address.slot) else { continue }
                mayRepeat = !found.isEmpty
                found.append(address.slot)
            case .change(.unread(let user, _, _)) where !isLast:
                mayRepeat = true
                for slot in hub.subscribers(of: user) where receives(run, slot) { found.append(slot) }
            case .change(.roomRead(let users, _, _)) where run.messages != nil:
                mayRepeat = true
                for user in users {
                    for slot in hub.subscribers(of: user) where receives(run, slot) { found.append(slot) }
                }
            case .outcome, .change, .publication, .run: break
            }
        }
        // A user may have a thousand sessions: they are not looked for one by one.
        return mayRepeat ? Array(Set(found)) : found
    }

    private func receives(_ run: PublicationRun, _ slot: Slot) -> Bool {
        if run.isOfDocuments { return door.receivers.identity(in: slot)?.watches.admit(run) != false }
        return hub.isSubscribed(slot, to: run.stream)
            || run.secondStream.map { hub.isSubscribed(slot, to: $0) } ?? false
    }

    /// - Parameter singly: the readers that do not take the run as a whole; those that cannot are added.
    /// - Returns: how many took it as a whole.
    private func deliver(
        _ run: PublicationRun, in stream: StreamID, _ singly: inout [Slot], isLast: Bool
    ) -> Int {
        let isWatched = run.isOfDocuments
        let slots = isWatched ? door.watchers.subscribers(of: stream) : hub.subscribers(of: stream)
        let receivers = door.receivers.bySlot
        let frames = door.frames
        var whole = 0
        let writers = singly
        let isLast = isLast && slots.count >= Self.readersOfMany
        var place = 0
        noteCrowd(slots, of: stream)
        slots.forEach { slot in
            if place % Self.fetchedTogether == 0 { fetch(receivers, slots, from: place) }
            place += 1
            guard writers.isEmpty || !writers.contains(slot) else { return }
            // A watcher without a token is no receiver of anything else.
            let receiver = Int(slot) < receivers.count ? receivers[Int(slot)] : nil
            switch receiver?.take(run, &frames.counts, isLast: isLast) {
            case .whole: whole += 1
            case .singly: singly.append(slot)
            case .nothing: break
            case nil: if isWatched { singly.append(slot) }
            }
        }
        return whole
    }

    /// Looks at the next receivers, in a row and without anything between, so that the processor fetches them together.
    ///
    /// A thousand sessions do not fit into its cache, and each send drives out more of them: if they were looked at one by
    /// one, the processor would wait for each.
    private func fetch(_ receivers: [SessionIdentity?], _ slots: Subscribers, from place: Int) {
        guard case .several(let slots) = slots else { return }
        var areHere = true
        for slot in slots[place..<min(place + Self.fetchedTogether, slots.count)] {
            if Int(slot) < receivers.count, let receiver = receivers[Int(slot)], receiver.tcp.loop !== loop {
                areHere = false
            }
        }
        precondition(areHere, "a session is delivered to on another loop than its own")
    }

    // MARK: Single publications

    private func deliver(_ framed: FramedPublication) {
        let publication = framed.publication
        door.log.delivering(publication.position)
        if publication.unread == .oneMore, !door.counts.isEmpty { door.counts.note(publication) }
        var delivered = deliver(framed, in: publication.stream)
        if let second = publication.secondStream { delivered += deliver(framed, in: second) }
        // A reader of several of its streams has it by the first: nothing is taken that lies before a session's cursor.
        if let reach = publication.reach {
            for stream in reach.others { delivered += deliver(framed, in: stream) }
        }
        count(delivered, framed)
    }

    private func deliver(_ framed: FramedPublication, in stream: StreamID) -> Int {
        let isWatched = framed.publication.document != nil
        let slots = isWatched ? door.watchers.subscribers(of: stream) : hub.subscribers(of: stream)
        noteCrowd(slots, of: stream)
        return deliver(framed, to: slots)
    }

    private func deliver(_ framed: FramedPublication, to slots: Subscribers) -> Int {
        var delivered = 0
        let notified = framed.publication.reach?.told ?? []
        slots.forEach { slot in
            if !notified.isEmpty, notified.contains(where: { hub.isSubscribed(slot, to: $0) }) { return }
            if table.session(in: slot)?.deliver(framed) == true { delivered += 1 }
        }
        return delivered
    }

    private func count(_ delivered: Int, _ framed: FramedPublication) {
        guard delivered > 0 else { return }
        settings.metrics.deliveries.add(delivered)
        if let broadcast = framed.publication.broadcast {
            settings.metrics.delivered(delivered, ofBroadcast: broadcast)
        }
    }

    /// Lets the writer know what it takes to deliver to many.
    private func noteCrowd(_ slots: Subscribers, of stream: StreamID) {
        guard slots.count >= Limits.crowdSessionsMin else { return }
        settings.peers.memory.crowds.note(stream, sessions: slots.count, at: SteadyTime.now)
    }
}

@available(*, unavailable)
extension Delivery: Sendable {}
