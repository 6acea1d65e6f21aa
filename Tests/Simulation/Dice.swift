import SimulatedKernel

/// The seed's one sequence of random numbers, for the decisions of the simulation.
/// - Confinement: the one thread
enum Dice {
    /// A number from 0 to `bound - 1`.
    static func below(_ bound: Int) -> Int { Int(sim_below(UInt64(bound))) }

    /// True once in `odds` times.
    static func once(in odds: Int) -> Bool { below(odds) == 0 }

    static func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element? {
        guard !choices.isEmpty else { return nil }
        return choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
    }
}

/// An invariant that was broken.
/// - Confinement: any
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
