import Model
import Store
import Synchronization
import Telemetry

/// Whether the writer believes the machine's clock: what fires is sent, and what expires is removed; neither can be
/// undone.
///
/// - Confinement: store
struct WriterClock {
    private let clock: WallClock
    private let metrics: Metrics
    private let log: ServerLog
    /// From when on scheduled work is done, in milliseconds of ``SteadyTime``.
    private let firesFrom: Int64
    /// Whether the machine's clock has jumped, and is not believed yet.
    private var isHeld = false

    /// Scheduled work is done at once, unless the newest write is so long ago that the machine's clock may be wrong.
    init(_ clock: WallClock, _ writer: Writer, _ metrics: Metrics, _ log: ServerLog) {
        self.clock = clock
        self.metrics = metrics
        self.log = log
        firesFrom = Self.firesFrom(writer, at: clock.now(), log)
    }

    private static func firesFrom(_ writer: Writer, at now: Timestamp, _ log: ServerLog) -> Int64 {
        do {
            guard let newest = try writer.read({ try $0.keys.newestTime() }),
                now.milliseconds - newest.milliseconds > Limits.clockGapMilliseconds
            else { return SteadyTime.now }
            log.warning("the clock is far ahead of the newest write; scheduled work waits", ["newest": newest.text])
        } catch {
            log.error("the newest write cannot be read", ["error": "\(error)"])
        }
        return SteadyTime.now + Limits.clockHeldMilliseconds
    }

    /// Whether scheduled work may be done.
    var mayFire: Bool { SteadyTime.now >= firesFrom }

    /// Whether ages may be measured, and old entries removed.
    var mayTrim: Bool { !isHeld && mayFire }

    /// Looks at the machine's clock, once a second, and logs when it has jumped or is believed again.
    mutating func look() {
        let held = clock.heldMilliseconds()
        guard (held != nil) != isHeld else { return }
        isHeld = held != nil
        metrics.clockHeld.set(isHeld ? 1 : 0)
        guard let held else { return log.info("the server uses the machine's clock again") }
        log.warning(
            "the machine's clock has jumped; the server continues with the old time",
            ["seconds": "\(held / 1000)", "forSeconds": "\(Limits.clockHeldMilliseconds / 1000)"])
    }
}
