/// What one receiver has had of numbered messages that must come once each, in order.
struct ArrivalOrder: Sendable {
    /// The next number.
    private(set) var next = 0
    private(set) var doubled = 0
    private(set) var reordered = 0
    /// Numbers passed over that have not come since.
    private var skipped: Set<Int> = []

    mutating func receive(_ number: Int) {
        if number == next {
            next += 1
        } else if number > next {
            // Whether these are lost or only late is known at the end.
            skipped.formUnion(next..<number)
            next = number + 1
        } else if skipped.remove(number) != nil {
            reordered += 1
        } else {
            doubled += 1
        }
    }

    /// How many of `sent` never came.
    func lost(of sent: Int) -> Int { skipped.count + max(0, sent - next) }

    func close(sent: Int, on board: ScoreBoard) {
        board.add(.lost, lost(of: sent))
        board.add(.doubled, doubled)
        board.add(.reordered, reordered)
    }
}
