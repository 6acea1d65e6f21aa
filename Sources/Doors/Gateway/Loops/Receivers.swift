import Fanout
import Model
import ThreadMessages

/// The sessions of one loop that have begun: in which streams each of them reads, and all that a delivery needs of it.
///
/// - Confinement: loop
final class Receivers {
    let hub = Hub()
    /// By slot; nil where no session has begun.
    private(set) var bySlot: [SessionIdentity?] = []

    /// A session has begun: from here on it is delivered to.
    func attach(_ identity: SessionIdentity, of person: Person, to slot: Slot, streams: [StreamID]) {
        hub.attach(slot, inbox: person.id, streams: streams)
        while bySlot.count <= Int(slot) { bySlot.append(nil) }
        bySlot[Int(slot)] = identity
    }

    /// The session in a slot; nil where none has begun, or it has no user.
    func identity(in slot: Slot) -> SessionIdentity? { bySlot.indices.contains(Int(slot)) ? bySlot[Int(slot)] : nil }

    /// A session is over; harmless when it never began.
    func detach(_ slot: Slot) {
        hub.detach(slot)
        if bySlot.indices.contains(Int(slot)) { bySlot[Int(slot)] = nil }
    }
}

@available(*, unavailable)
extension Receivers: Sendable {}
