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
    package func count(_ reason: Silence) {
        switch reason {
        case .muted: muted.add(1, ordering: .relaxed)
        case .quietHours: quietHours.add(1, ordering: .relaxed)
        case .level: level.add(1, ordering: .relaxed)
        case .digest: digest.add(1, ordering: .relaxed)
        case .throttled: throttled.add(1, ordering: .relaxed)
        case .updated: updated.add(1, ordering: .relaxed)
        }
    }

    /// The count for a reason.
    package subscript(_ reason: Silence) -> Int {
        switch reason {
        case .muted: muted.load(ordering: .relaxed)
        case .quietHours: quietHours.load(ordering: .relaxed)
        case .level: level.load(ordering: .relaxed)
        case .digest: digest.load(ordering: .relaxed)
        case .throttled: throttled.load(ordering: .relaxed)
        case .updated: updated.load(ordering: .relaxed)
        }
    }
}

extension Metrics {
    /// Counts the digests and snoozes of a commit.
    package func count(_ steps: [CommittedStep]) {
        for step in steps {
            switch step {
            case .publication(let publication):
                if publication.notification?.kind == NotificationFacts.digestKind { digests.add(1, ordering: .relaxed) }
            case .change(.snoozed(_, let count)): snoozes.add(count, ordering: .relaxed)
            case .change: break
            }
        }
    }
}
