import Counting

/// Makes callgrind count only the work of a round: not the program's start, nor the preparation of a round.
///
/// - Confinement: the one thread
final class Counter {
    private let rounds: Int
    private var isWarmingUp = true
    /// Nanoseconds of each counted round, for each unit.
    private(set) var taken: [Double] = []
    /// Calls of each counted round, for each unit.
    private(set) var calls: [Calls] = []

    init(rounds: Int) {
        self.rounds = rounds
        calls.reserveCapacity(rounds)
    }

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
        let (before, begin) = (Calls.now, clock_nanoseconds())
        counting_begin()
        defer {
            counting_end()
            taken.append(Double(clock_nanoseconds() - begin) / Double(units))
            calls.append(Calls.now.since(before, of: units))
            unsafe String(units).withCString { name in unsafe counting_write(name) }
        }
        try body()
    }
}

/// Calls that cost more than their instructions: SQLite's, and those of the kernel.
///
/// Without an array: what the heap looks like is part of what is counted.
struct Calls {
    private let statements, commits, socketWrites, socketBytes: Double

    /// All of the program so far.
    static var now: Calls {
        Calls(
            statements: Double(counting_statements()), commits: Double(counting_commits()),
            socketWrites: Double(counting_socket_writes()), socketBytes: Double(counting_socket_bytes()))
    }

    /// Those since an earlier moment, for each unit.
    func since(_ before: Calls, of units: Int) -> Calls {
        let units = Double(units)
        return Calls(
            statements: (statements - before.statements) / units, commits: (commits - before.commits) / units,
            socketWrites: (socketWrites - before.socketWrites) / units,
            socketBytes: (socketBytes - before.socketBytes) / units)
    }

    /// The median of several rounds, as JSON of an object.
    static func median(_ rounds: [Calls]) -> String {
        func middle(_ count: (Calls) -> Double) -> Double { rounds.map(count).sorted()[rounds.count / 2] }
        return #"{"statements":\#(middle(\.statements)),"commits":\#(middle(\.commits)),"#
            + #""socketWrites":\#(middle(\.socketWrites)),"socketBytes":\#(middle(\.socketBytes))}"#
    }
}
