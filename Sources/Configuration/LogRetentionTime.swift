import Model

/// How long an entry of the log is kept: `30d` and the like, or `forever`.
///
/// - Confinement: any
package struct LogRetentionTime: Sendable, Hashable {
    package static let standard = LogRetentionTime(milliseconds: Limits.logRetentionMilliseconds)
    /// Says what a value must be; it follows the key's name in a sentence.
    package static let wanted = "must be \(TimeSpan.form), or forever (or 0), which keeps everything"

    /// Nil keeps everything.
    package let milliseconds: Int64?

    package init(milliseconds: Int64?) { self.milliseconds = milliseconds }

    /// Nil when the text has another form.
    package init?(_ text: String) {
        if text == "forever" || text == "0" {
            milliseconds = nil
        } else {
            guard let span = TimeSpan(text) else { return nil }
            milliseconds = span.milliseconds
        }
    }
}
