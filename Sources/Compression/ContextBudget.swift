import Synchronization

/// How much memory all windows together may take that are kept from message to message.
///
/// - Confinement: any
package final class ContextBudget: Sendable {
    private let free: Atomic<Int>

    /// - Parameter bytesMax: for all connections of all loops together.
    package init(bytesMax: Int) {
        free = Atomic(bytesMax)
    }

    /// Takes `bytes` if that many are left.
    ///
    /// - Returns: false if not, and then nothing was taken.
    package func take(_ bytes: Int) -> Bool {
        guard free.subtract(bytes, ordering: .relaxed).newValue < 0 else { return true }
        free.add(bytes, ordering: .relaxed)
        return false
    }

    /// Gives back what was taken.
    package func giveBack(_ bytes: Int) {
        free.add(bytes, ordering: .relaxed)
    }

    /// What can still be taken.
    package var bytesFree: Int { free.load(ordering: .relaxed) }
}
