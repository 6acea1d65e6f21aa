/// Checks what one receiver has got of numbered messages, each of which must come once and in order.
struct ArrivalOrder: Sendable {
    /// The next number.
    private(set) var next = 0
    private(set) var doubled = 0
    private(set) var reordered = 0
    /// Skipped numbers that have not come yet.
    private var skipped: Set<Int> = []

    mutating func receive(_ number: Int) {
        if number == next {
            next += 1
        } else if number > next {
            // The end of the run shows whether these are lost or only late.
            skipped.formUnion(next..<number)
            next = number + 1
        } else if skipped.remove(number) != nil {
            reordered += 1
        } else {
            doubled += 1
        }
    }

    /// How many of `sent` messages never came.
    func lost(of sent: Int) -> Int { skipped.count + max(0, sent - next) }

    func close(sent: Int, on board: ScoreBoard) {
        board.add(.lost, lost(of: sent))
        board.add(.doubled, doubled)
        board.add(.reordered, reordered)
    }
}
