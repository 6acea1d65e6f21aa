package import Model
import Synchronization

/// How many sessions receive a stream, for streams with many. From this the writer estimates how long the loops will
/// take to deliver a write.
///
/// A loop notes the number when it delivers to many sessions. Notes of some seconds ago are forgotten. So the first
/// delivery to a crowd is not expected, and the following ones are.
///
/// - Confinement: any
package final class Crowds: Sendable {
    private struct Crowd {
        /// The largest number of sessions on one loop; the loops deliver in parallel.
        var sessions: Int
        var notedAt: Int64
    }

    /// Protected by its lock.
    private let crowds = Mutex<[StreamID: Crowd]>([:])
    private let isEmpty = Atomic<Bool>(true)

    /// Whether any crowd is known.
    package var areKnown: Bool { !isEmpty.load(ordering: .relaxed) }

    /// Notes that a loop delivers to many of its sessions.
    ///
    /// - Parameter now: monotonic milliseconds.
    package func note(_ stream: StreamID, sessions: Int, at now: Int64) {
        guard sessions >= Limits.crowdSessionsMin else { return }
        crowds.withLock { crowds in
            if let known = crowds[stream], known.sessions > sessions, now - known.notedAt < Limits.crowdMilliseconds {
                return
            }
            crowds[stream] = Crowd(sessions: sessions, notedAt: now)
        }
        isEmpty.store(false, ordering: .relaxed)
    }

    /// The time in microseconds that the busiest loop needs to deliver the events of a commit, from a step on.
    package func microseconds(of steps: [CommittedStep], from first: Int = 0) -> Int64 {
        guard areKnown else { return 0 }
        var sum: Int64 = 0
        for index in first..<steps.count {
            guard case .publication(let publication) = steps[index] else { continue }
            var before: Publication?
            if index > 0, case .publication(let publication) = steps[index - 1] { before = publication }
            sum += microseconds(of: publication, after: before)
        }
        return sum
    }

    /// The time in microseconds that the busiest loop needs to deliver a publication; 0 when few sessions receive it.
    ///
    /// - Parameter before: of the same commit. Where both have the same receivers, each gets them in one write.
    package func microseconds(of publication: Publication, after before: Publication? = nil) -> Int64 {
        guard areKnown else { return 0 }
        let sessions = crowds.withLock { crowds in
            var sessions = crowds[publication.stream]?.sessions ?? 0
            if let second = publication.secondStream { sessions += crowds[second]?.sessions ?? 0 }
            if let reach = publication.reach {
                for stream in reach.others { sessions += crowds[stream]?.sessions ?? 0 }
            }
            return sessions
        }
        guard sessions > 0 else { return 0 }
        let isTogether = before.map { publication.hasReceivers(of: $0) } ?? false
        let bytes = (isTogether ? 0 : Limits.deliveryBytes) + publication.payload[nil].count
        return Int64(sessions * bytes / Limits.deliveredBytesPerMicrosecond)
    }

    /// Forgets crowds that were not noted for some seconds.
    package func forgetOld(at now: Int64) {
        guard areKnown else { return }
        crowds.withLock { crowds in
            crowds = crowds.filter { now - $0.value.notedAt < Limits.crowdMilliseconds }
            isEmpty.store(crowds.isEmpty, ordering: .relaxed)
        }
    }
}
