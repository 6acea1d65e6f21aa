/// A line that shows the progress: rewritten in place on a terminal, printed every few seconds in a log.
struct ProgressLine {
    private static let logEveryMilliseconds: Int64 = 5_000
    private static let rewriteEveryMilliseconds: Int64 = 200

    private let isInteractive = Terminal.isInteractive
    private var shownAt: Int64?

    /// Shows a status when enough time has passed.
    ///
    /// - Parameter now: Milliseconds of any steady clock.
    mutating func show(_ status: @autoclosure () -> String, at now: Int64 = ProgressLine.now) {
        let period = isInteractive ? Self.rewriteEveryMilliseconds : Self.logEveryMilliseconds
        guard let shownAt else {
            self.shownAt = now
            return
        }
        guard now - shownAt >= period else { return }
        self.shownAt = now
        if isInteractive { Terminal.rewrite(status()) } else { Terminal.note(status()) }
    }

    private static let epoch = ContinuousClock.now

    /// Milliseconds since the program first asked.
    static var now: Int64 { Int64((ContinuousClock.now - epoch) / .milliseconds(1)) }

    /// Removes the line.
    func clear() {
        if isInteractive { Terminal.rewrite("") }
    }

    /// Shows the last status.
    func end(_ status: String) {
        if isInteractive { Terminal.rewrite(status + "\n") } else { Terminal.note(status) }
    }
}
