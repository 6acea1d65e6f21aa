package import Fanout

/// The connection of a loop to which an answer goes. The generation distinguishes it from later connections in the same
/// slot.
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
