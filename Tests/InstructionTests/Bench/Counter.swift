import Counting

/// Makes callgrind count only the work of a round: not the program's start, nor the preparation of a round.
///
/// - Confinement: the one thread
final class Counter {
    private let rounds: Int
    private var isWarmingUp = true
    /// Nanoseconds of each counted round, for each unit.
    private(set) var taken: [Double] = []

    init(rounds: Int) { self.rounds = rounds }

    /// Runs `round` until it is warm, and then as often as needed; each time it counts once.
    func repeating(_ round: () throws -> Void) throws {
        try round()
        try round()
        counting_prepare()
        try round()
        isWarmingUp = false
        for _ in 0..<rounds { try round() }
    }

    /// Counts the work of `body`.
    ///
    /// - Parameter units: The number of counted things that `body` processes.
    func count(_ units: Int, _ body: () throws -> Void) throws {
        guard !isWarmingUp else { return try body() }
        let begin = clock_nanoseconds()
        counting_begin()
        defer {
            counting_end()
            taken.append(Double(clock_nanoseconds() - begin) / Double(units))
            unsafe String(units).withCString { name in unsafe counting_write(name) }
        }
        try body()
    }
}
