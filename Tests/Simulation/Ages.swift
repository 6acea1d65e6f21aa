import Client
import ClientProtocol
import JSON
import Session
import SimulatedKernel

/// The log entries that may be gone, by the time that has really passed.
///
/// A server cannot know that its clock is ahead. So entries from before the clock was further ahead than ever may be
/// deleted at any time. Entries written while the clock is slow get a time that follows the newest stored one, which
/// may be some seconds too early. All other entries must be kept for their time, whatever the clock shows.
/// - Confinement: any
struct Ages {
    /// The time for which the log is kept.
    var retentionMilliseconds: Int64 = .max
    /// How often the wall clock was set.
    private(set) var moves = 0
    private var offset: Int64 = 0
    private var highest: Int64 = 0
    /// When the wall clock was further ahead than ever before.
    private var roseAt: Int64 = .min

    /// Whether the wall clock is as far ahead as ever.
    var isHighest: Bool { offset == highest }

    /// Records that the wall clock was set.
    mutating func clockMoved(byMilliseconds milliseconds: Int64) {
        moves += 1
        offset += milliseconds
        guard offset > highest else { return }
        highest = offset
        roseAt = sim_now()
    }

    /// Records that the clock of one of several nodes was set.
    mutating func nodeClockMoved() { moves += 1 }

    /// Whether entries with this time, or a later one, must still exist.
    func isYoung(_ time: Int64) -> Bool { time > roseAt && sim_now() - time < retentionMilliseconds }
}

extension Ledger {
    /// A message up to a position that is too young to be gone; nil when there is none. Follows do not count: repeating
    /// a follow is answered with the old position.
    func youngWrite(upTo position: Int64) -> Write? {
        writes.first { write in
            guard write.isDated, write.command.name == SendCommand.name || write.command.name == RecommendCommand.name,
                let seq = write.reply?["seq"]?.integerValue, seq <= position
            else { return false }
            return ages.isYoung(write.begunAt)
        }
    }
}
