/// A notification as a phone shows it while it is locked, drawn with lines: the title in one line, the text in at most four, and
/// `…` where the phone cuts.
///
/// Phones differ by the size of their letters; this one has room for 44 columns, as most have.
package struct NotificationBox {
    /// The columns of a text inside.
    private static let textColumns = 44
    private static let bodyLinesMax = 4

    /// From the upper to the lower edge.
    package let lines: [String]
    /// Whether a phone does not show all of it.
    package let isCut: Bool

    package init(title: String, body: String) {
        let columns = Self.textColumns
        // Where there is no title, phones show the text alone.
        let title = Self.plain(title).lines(of: .max).joined(separator: " ")
        let all = body.isEmpty ? [] : Self.plain(body).lines(of: columns)
        var shown = Array(all.prefix(Self.bodyLinesMax))
        if all.count > shown.count, let last = shown.popLast() {
            // The mark needs room of its own on a full line.
            shown.append(last.columns < columns ? last + "…" : (last + " ").fitted(into: columns))
        }
        isCut = title.columns > columns || all.count > shown.count
        let texts = (title.isEmpty ? [] : [title.fitted(into: columns)]) + shown
        let edge = String(repeating: "─", count: columns + 2)
        lines =
            ["┌" + edge + "┐"]
            + texts.map { "│ " + $0 + String(repeating: " ", count: max(0, columns - $0.columns)) + " │" }
            + ["└" + edge + "┘"]
    }

    /// Without power over the terminal, and with blanks for tabs, which have no columns of their own.
    private static func plain(_ text: String) -> String { text.printable.replacing("\t", with: " ") }
}
