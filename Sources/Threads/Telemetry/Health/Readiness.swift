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
    /// The same on a node of several.
    ///
    /// - Parameters:
    ///   - lagMilliseconds: the longest time that the database may lack an entry of the journal.
    ///   - writes: whether clients should be sent here to write, too.
    package init(_ own: Readiness, among standing: NodeStanding.Facts, lagMilliseconds: Int64, forWrites writes: Bool) {
        problem = own.problem ?? Self.problem(standing, lagMilliseconds, writes)
    }

    private static func problem(_ facts: NodeStanding.Facts, _ lagMilliseconds: Int64, _ writes: Bool) -> String? {
        let missing = facts.last - min(facts.last, facts.applied)
        switch facts.role {
        case .alone: return nil
        case .stopped: return "this node takes no part any more; its log says why"
        case .following, .leading: break
        }
        if facts.cutOffMilliseconds >= MemberLimits.cutOffMilliseconds { return facts.cutOffSentence }
        if facts.isCatchingUp { return "this node reads the journal: \(missing) entries are missing" }
        if facts.lagMilliseconds > lagMilliseconds {
            return "this node is \(facts.lagMilliseconds / 1000) s late: it lacks \(missing) entries of the journal"
        }
        guard writes else { return nil }
        if facts.leader == nil { return "writes wait: no node leads" }
        guard facts.unprovedMilliseconds >= MemberLimits.unprovedWriteMilliseconds else { return nil }
        return "writes wait: the journal has shown no majority for \(facts.unprovedMilliseconds / 1000) s"
    }

    /// The present state.
    package init(of health: StorageHealth, isDraining: Bool) {
        self.init(isDraining: isDraining, fault: health.fault, commitMilliseconds: health.commitMilliseconds)
    }
}
