@testable import Journal

/// A command of a client: a number is appended to a register. Its id is its key.
struct ModelCommand {
    /// The client's number × 1,000 + its own.
    let id: Int
    let register: Int
    /// The node of the client's session.
    let origin: Int

    var client: Int { id / 1000 }
}

/// The effect of a command.
struct ModelEffect {
    let command: ModelCommand
    /// The length of the register after it: the answer to the client.
    let result: Int
}

/// An entry as the model's nodes write it.
struct ModelEntry {
    let kind: EntryFacts.Kind
    let stamp: EntryStamp
    let effects: [ModelEffect]

    func facts(_ sequence: Int) -> EntryFacts {
        EntryFacts(sequence: UInt64(sequence), kind: kind, stamp: stamp)
    }
}

/// The database of a node: how far it has applied the journal, and the result.
struct ModelDatabase: Equatable {
    static let registers = 3

    /// `meta.journal` and `meta.term`.
    private(set) var applied = 0
    private(set) var term: UInt64 = 0
    /// The order of everything that was appended to each register, as a digest, and the number of it.
    private(set) var digests = [Int](repeating: 0, count: registers)
    private(set) var counts = [Int](repeating: 0, count: registers)
    /// The answer to each key.
    private(set) var results: [Int: Int] = [:]
    /// The ends of the entries that were applied, in their order.
    private(set) var ends: [Int] = []

    /// Executes a command.
    ///
    /// - Returns: what it did; nil if its key has an answer.
    mutating func execute(_ command: ModelCommand) -> ModelEffect? {
        guard results[command.id] == nil else { return nil }
        append(command)
        return ModelEffect(command: command, result: counts[command.register])
    }

    private mutating func append(_ command: ModelCommand) {
        digests[command.register] = digests[command.register] &* 1_000_003 &+ command.id &+ 1
        counts[command.register] += 1
        results[command.id] = counts[command.register]
    }

    /// Repeats what was done.
    ///
    /// - Returns: whether it had the same result.
    mutating func apply(_ effects: [ModelEffect]) -> Bool {
        var isEqual = true
        for effect in effects {
            append(effect.command)
            if counts[effect.command.register] != effect.result { isEqual = false }
        }
        return isEqual
    }

    mutating func note(applied sequence: Int, term: UInt64) {
        applied = sequence
        self.term = term
        ends.append(sequence)
    }

    /// The effects of the entry that ends at a sequence of the journal, its parts together.
    static func effects(endingAt end: Int, in log: [ModelEntry]) -> [ModelEffect] {
        guard case .commit = log[end - 1].kind else { return [] }
        var first = end
        while first > 1, case .commit(hasMoreParts: true) = log[first - 2].kind { first -= 1 }
        return log[(first - 1)..<end].flatMap(\.effects)
    }

    /// The database as it was after an earlier commit.
    func wentBack(commits: Int, _ log: [ModelEntry]) -> ModelDatabase {
        var older = ModelDatabase()
        for end in ends.dropLast(commits) {
            _ = older.apply(Self.effects(endingAt: end, in: log))
            older.note(applied: end, term: log[end - 1].stamp.term)
        }
        return older
    }
}
