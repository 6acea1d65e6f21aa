/// One of several systems that take turns in a scenario.
struct Contestant {
    let system: String
    var detail = ""
    /// Starts the system; returns its turn, and a closure that ends it.
    let begin: () throws -> (turn: () throws -> Outcome, end: () -> Void)
}
