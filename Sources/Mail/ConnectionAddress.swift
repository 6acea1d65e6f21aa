import EventLoop
package import Fanout
import Model

/// Where an answer goes: a connection of a loop. The generation tells a connection from a later one in its slot.
///
/// - Confinement: any
package struct ConnectionAddress: Sendable, Hashable {
    package let loop: Int
    package let slot: Slot
    package let generation: UInt32

    package init(loop: Int, slot: Slot, generation: UInt32) {
        self.loop = loop
        self.slot = slot
        self.generation = generation
    }
}
