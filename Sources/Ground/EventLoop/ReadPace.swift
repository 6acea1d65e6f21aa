/// How many bytes a connection reads at once, and the expected cost of its next read, learned from its last reads.
///
/// If bytes are expensive (a message that inflates, a large body), reads become smaller, so that no read occupies the loop
/// for long.
/// - Confinement: loop
struct ReadPace {
    /// The acceptable time of a read; after a longer one, the next is smaller.
    private static let longReadMicroseconds: Int64 = 800
    /// How often the size of reads is halved at a slow beginning, and at most: from 16 KiB to 512 and to 128 bytes.
    private static let halvingsAtFirst: UInt8 = 5
    private static let halvingsMax: UInt8 = 7
    /// The least bytes of a read, however expensive they are.
    private static let shortestReadBytes = 128
    /// The expected bytes of the next read, for an estimate of its cost from the last one.
    static let expectedReadBytes = 512

    /// The cost of the last reads, where it was measured.
    private(set) var cost = TurnCost.ordinary
    /// How often the size of reads is halved.
    private var halvings: UInt8 = 0

    /// Whether reads are smaller than the connection allows.
    var isSlowed: Bool { halvings > 0 }

    /// Begins with small reads, which grow as long as they are cheap.
    mutating func beginSlowly() { halvings = Self.halvingsAtFirst }

    /// The size of the next read.
    /// - Parameter most: its size if bytes are cheap.
    func bytes(of most: Int) -> Int { max(Self.shortestReadBytes, most >> halvings) }

    /// Learns from a read.
    /// - Parameter count: its bytes, at least one.
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
