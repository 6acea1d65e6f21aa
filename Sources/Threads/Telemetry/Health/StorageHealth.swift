package import Store
import Synchronization

/// The writer's knowledge of its disk, for all that ask whether the server is ready.
///
/// Only the writer's thread changes these atomics. A reader may see the state of a moment ago, but never a state that
/// did not exist.
///
/// - Confinement: any for reading; store for the rest
package final class StorageHealth: Sendable {
    /// The raw value of the fault; 0 when there is none.
    private let faultCode = Atomic<Int>(0)
    /// When the current commit began, in milliseconds of ``SteadyTime``; -1 when there is none.
    private let commitBegan = Atomic<Int64>(-1)

    package init() {}

    /// Why the database cannot be written; nil when the last commit succeeded.
    package var fault: StorageFault? { StorageFault(rawValue: faultCode.load(ordering: .relaxed)) }

    /// How long the current commit has taken so far; nil when there is none.
    package var commitMilliseconds: Int64? {
        let began = commitBegan.load(ordering: .relaxed)
        return began < 0 ? nil : max(0, SteadyTime.now - began)
    }

    /// Records the writer's finding.
    package func set(_ fault: StorageFault?) { faultCode.store(fault?.rawValue ?? 0, ordering: .relaxed) }

    /// Runs a commit, and shows it as the current one meanwhile.
    package func duringCommit<Value>(_ body: () throws -> Value) rethrows -> Value {
        commitBegan.store(SteadyTime.now, ordering: .relaxed)
        defer { commitBegan.store(-1, ordering: .relaxed) }
        return try body()
    }
}
