/// A line that says how far things are: rewritten in place for a person, every few seconds for a log.
struct ProgressLine {
    private static let logEveryMilliseconds: Int64 = 5_000
    private static let rewriteEveryMilliseconds: Int64 = 200

    private let isInteractive = Terminal.isInteractive
    private var shownAt: Int64?

    /// Shows a status when it is time to.
    mutating func show(_ status: @autoclosure () -> String, at now: Int64) {
        let period = isInteractive ? Self.rewriteEveryMilliseconds : Self.logEveryMilliseconds
        guard let shownAt else {
            self.shownAt = now
            return
        }
        guard now - shownAt >= period else { return }
        self.shownAt = now
        if isInteractive { Terminal.rewrite(status()) } else { Terminal.note(status()) }
    }

    /// Shows the last status.
    func end(_ status: String) {
        if isInteractive { Terminal.rewrite(status + "\n") } else { Terminal.note(status) }
    }
}
