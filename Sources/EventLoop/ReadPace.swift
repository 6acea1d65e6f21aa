/// How many bytes a connection may read at once, and what they are expected to cost, by what its last reads took.
///
/// Where bytes cost much (a message that inflates, a large body), reads become shorter, so that one of them never occupies
/// the loop for long.
/// - Confinement: loop
struct ReadPace {
    /// A read should not take longer; the next one after such a read is shorter.
    private static let longReadMicroseconds: Int64 = 800
    /// How often reads are halved that begin slowly, and at most: from 16 KiB to 512 and to 128 bytes.
    private static let halvingsAtFirst: UInt8 = 5
    private static let halvingsMax: UInt8 = 7
    /// Bytes that a read takes at least, however much they cost.
    private static let shortestReadBytes = 128
    /// Bytes that a read is expected to bring, if its cost is estimated from the last one.
    static let expectedReadBytes = 512

    /// What reads have cost lately, where that was worth a look at the clock.
    private(set) var cost = TurnCost.ordinary
    /// How often reads are halved, since their bytes cost much.
    private var halvings: UInt8 = 0

    /// Whether reads are shorter than they might be.
    var isSlowed: Bool { halvings > 0 }

    /// Begins with short reads, which grow as long as they cost little.
    mutating func beginSlowly() { halvings = Self.halvingsAtFirst }

    /// Bytes that the next read may take.
    /// - Parameter most: if bytes cost little.
    func bytes(of most: Int) -> Int { max(Self.shortestReadBytes, most >> halvings) }

    /// Learns what a read took.
    mutating func note(microseconds: Int64, bytes count: Int) {
        // Of many bytes that cost little each, the next may be few.
        let next = TurnCost(microseconds: microseconds * Int64(min(count, Self.expectedReadBytes)) / Int64(count))
        cost = max(next > .light ? next : .ordinary, cost.faded)
        if microseconds > Self.longReadMicroseconds {
            halvings = min(halvings + 1, Self.halvingsMax)
        } else if microseconds < Self.longReadMicroseconds / 8, halvings > 0 {
            halvings -= 1
        }
    }
}
