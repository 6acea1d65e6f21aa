package import Model
import Synchronization

/// Counts the notifications that were delivered to connected devices without interrupting, by reason.
///
/// - Confinement: any
package final class SilenceCounts: Sendable {
    private let muted = Atomic<Int>(0)
    private let quietHours = Atomic<Int>(0)
    private let level = Atomic<Int>(0)
    private let digest = Atomic<Int>(0)
    private let throttled = Atomic<Int>(0)
    private let updated = Atomic<Int>(0)

    /// Counts one more for a reason.
    package func count(_ reason: Silence) { with(reason) { _ = $0.add(1, ordering: .relaxed) } }

    /// The count for a reason.
    package subscript(_ reason: Silence) -> Int { with(reason) { $0.now } }

    private func with<Result>(_ reason: Silence, _ act: (borrowing Atomic<Int>) -> Result) -> Result {
        switch reason {
        case .muted: act(muted)
        case .quietHours: act(quietHours)
        case .level: act(level)
        case .digest: act(digest)
        case .throttled: act(throttled)
        case .updated: act(updated)
        }
    }
}

extension Metrics {
    /// Counts the digests, snoozes, archived notifications and broadcasts of a commit.
    package func count(_ steps: [CommittedStep]) {
        // One to many people has a row for each of them.
        var newest: Int64?
        for step in steps {
            switch step {
            case .publication(let publication):
                if publication.notification?.kind == NotificationFacts.digestKind { digests.add(1) }
                if let broadcast = publication.broadcast, broadcast != newest {
                    newest = broadcast
                    broadcasts.add(1)
                }
            case .change(.snoozed(_, let count)): snoozes.add(count)
            case .change(.archived(_, let count)): archivedNotifications.add(count)
            case .change(.online(let notice)): if notice.name == .notification { broadcasts.add(1) }
            case .change: break
            }
        }
    }
}
