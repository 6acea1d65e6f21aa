/// One of those that take turns in a scenario.
struct Contestant {
    let system: String
    var detail = ""
    /// Starts what it needs; hands back its turn, and how it is ended.
    let begin: () throws -> (turn: () throws -> Outcome, end: () -> Void)
}
