import Model
package import Store

/// Whether clients should be sent to this server: the answer of `/readyz`.
///
/// A server that is not ready still answers reads, and `/healthz` says that it is alive, since a restart would not
/// help.
///
/// - Confinement: any
package struct Readiness: Sendable {
    /// Why the server is not ready; nil when it is.
    package let problem: String?

    /// - Parameter commitMilliseconds: How long the current commit has taken so far; nil when there is none.
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

    /// The body of the answer, one line.
    package var text: String { (problem ?? "ready") + "\n" }

    /// The status of the answer.
    package var status: Int { problem == nil ? 200 : 503 }
}

extension Readiness {
    /// The present state.
    package init(of health: StorageHealth, isDraining: Bool) {
        self.init(isDraining: isDraining, fault: health.fault, commitMilliseconds: health.commitMilliseconds)
    }
}
