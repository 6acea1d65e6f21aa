package import Model
import Synchronization

/// How many sessions hear a stream, of those streams that many hear: by it the writer knows what the delivery of a write
/// will take the loops.
///
/// Loops note what they see when they deliver to many. What nobody has noted for some seconds is forgotten. So the first
/// delivery to a crowd comes as a surprise, and those after it do not.
///
/// - Confinement: any
package final class Crowds: Sendable {
    private struct Crowd {
        /// Sessions of one loop: the most of all loops, which deliver side by side.
        var sessions: Int
        var notedAt: Int64
    }

    /// Protected by its lock.
    private let crowds = Mutex<[StreamID: Crowd]>([:])
    private let isEmpty = Atomic<Bool>(true)

    /// Whether there are any.
    package var areKnown: Bool { !isEmpty.load(ordering: .relaxed) }

    /// A loop delivers to so many of its sessions.
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

    /// What the delivery of a publication takes the loop that has most to do for it, in microseconds; 0 where few hear it.
    package func microseconds(of publication: Publication) -> Int64 {
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
        let bytes = Limits.deliveryBytes + publication.payload[nil].count
        return Int64(sessions * bytes / Limits.deliveredBytesPerMicrosecond)
    }

    /// Forgets what was not noted for some seconds.
    package func forgetOld(at now: Int64) {
        guard areKnown else { return }
        crowds.withLock { crowds in
            crowds = crowds.filter { now - $0.value.notedAt < Limits.crowdMilliseconds }
            isEmpty.store(crowds.isEmpty, ordering: .relaxed)
        }
    }
}
