import Model
package import Store

/// Whether clients should be sent here, as `/readyz` tells it: facts in, an answer out.
///
/// A server that is not ready is alive all the same: it answers reads, and `/healthz` says so, since starting it anew
/// would mend nothing.
///
/// - Confinement: any
package struct Readiness: Sendable {
    /// Why not; nil when the server is ready.
    package let problem: String?

    /// - Parameter commitMilliseconds: for how long the commit under way has been; nil when none is.
    package init(isDraining: Bool, fault: StorageFault?, commitMilliseconds: Int64?) {
        if isDraining {
            problem = "draining"
        } else if let fault {
            problem = "writes are refused: \(fault.reason)"
        } else if let commitMilliseconds, commitMilliseconds >= Limits.commitStalledMilliseconds {
            problem = "writes wait: the disk has not answered for \(commitMilliseconds / 1000) s"
        } else {
            problem = nil
        }
    }

    /// The body of the answer, a line.
    package var text: String { (problem ?? "ready") + "\n" }

    /// The status of the answer.
    package var status: Int { problem == nil ? 200 : 503 }
}

extension Readiness {
    /// The state of this moment.
    package init(of health: StorageHealth, isDraining: Bool) {
        self.init(isDraining: isDraining, fault: health.fault, commitMilliseconds: health.commitMilliseconds)
    }
}
