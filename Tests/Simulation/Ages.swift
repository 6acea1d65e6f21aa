import Client
import ClientProtocol
import JSON
import SimulatedKernel

/// What may be gone from the log, by the time that has really gone by.
///
/// A server cannot know that its clock is ahead. So what was written before the clock was further ahead than ever may go at
/// any time. What is written while the clock is behind is dated from the newest time that was stored, which may be some
/// seconds too early. Everything else must stay as long as it should, whatever the clock shows.
/// - Confinement: any
struct Ages {
    /// For how long the log is kept.
    var retentionMilliseconds: Int64 = .max
    /// How often the wall clock was set.
    private(set) var moves = 0
    private var offset: Int64 = 0
    private var highest: Int64 = 0
    /// When the wall clock was further ahead than ever before.
    private var roseAt: Int64 = .min

    /// Whether the wall clock is as far ahead as ever.
    var isHighest: Bool { offset == highest }

    /// The wall clock is set.
    mutating func clockMoved(byMilliseconds milliseconds: Int64) {
        moves += 1
        offset += milliseconds
        guard offset > highest else { return }
        highest = offset
        roseAt = sim_now()
    }

    /// Whether what was dated at a time or later must still be there.
    func isYoung(_ time: Int64) -> Bool { time > roseAt && sim_now() - time < retentionMilliseconds }
}

extension Ledger {
    /// A message up to a position that is too young to be gone; nil when there is none. A follow says nothing of that: who
    /// follows already is answered with the position since when.
    func youngWrite(upTo position: Int64) -> Write? {
        writes.first { write in
            guard write.isDated, write.command.name == SendCommand.name || write.command.name == RecommendCommand.name,
                let seq = write.reply?["seq"]?.integerValue, seq <= position
            else { return false }
            return ages.isYoung(write.begunAt)
        }
    }
}
