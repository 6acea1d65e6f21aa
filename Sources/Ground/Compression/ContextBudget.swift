import Synchronization

/// The memory for the windows that are kept from message to message, of all connections together.
///
/// - Confinement: any
package final class ContextBudget: Sendable {
    private let free: Atomic<Int>

    /// - Parameter bytesMax: For all connections of all loops together.
    package init(bytesMax: Int) {
        free = Atomic(bytesMax)
    }

    /// Takes `bytes` if they are available.
    ///
    /// - Returns: false if not; then nothing was taken.
    package func take(_ bytes: Int) -> Bool {
        guard free.subtract(bytes, ordering: .relaxed).newValue < 0 else { return true }
        free.add(bytes, ordering: .relaxed)
        return false
    }

    /// Gives bytes back.
    package func giveBack(_ bytes: Int) {
        free.add(bytes, ordering: .relaxed)
    }

    /// The bytes that are still available.
    package var bytesFree: Int { free.load(ordering: .relaxed) }
}
