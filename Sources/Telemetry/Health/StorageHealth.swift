import Model
package import Store
import Synchronization

/// What the writer knows of its disk, for everybody who asks whether the server is ready.
///
/// Atomics written by the writer's thread alone; a reader may see the state of a moment ago, never one that was not.
///
/// - Confinement: any for reading; store for the rest
package final class StorageHealth: Sendable {
    /// The raw value of the fault; 0 when there is none.
    private let faultCode = Atomic<Int>(0)
    /// When the commit under way began, in milliseconds of ``SteadyTime``; -1 when none is.
    private let commitBegan = Atomic<Int64>(-1)

    package init() {}

    /// What keeps the database from being written; nil when the last commit succeeded.
    package var fault: StorageFault? { StorageFault(rawValue: faultCode.load(ordering: .relaxed)) }

    /// For how long the commit under way has been; nil when none is.
    var commitMilliseconds: Int64? {
        let began = commitBegan.load(ordering: .relaxed)
        return began < 0 ? nil : max(0, SteadyTime.now - began)
    }

    /// The writer's finding.
    package func set(_ fault: StorageFault?) { faultCode.store(fault?.rawValue ?? 0, ordering: .relaxed) }

    /// Runs a commit, known to be under way while it is.
    package func duringCommit<Value>(_ body: () throws -> Value) rethrows -> Value {
        commitBegan.store(SteadyTime.now, ordering: .relaxed)
        defer { commitBegan.store(-1, ordering: .relaxed) }
        return try body()
    }
}
