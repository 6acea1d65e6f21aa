/// Shows a place in a text: its line, and a mark under it.
package enum Caret {
    private static let columnsMax = 90

    /// Two lines, the second with a `^` under the character, which is counted from 1; a long line is cut around it.
    package static func lines(_ text: String, character: Int) -> String {
        var line: [Character] = []
        var column = 0
        var number = 1
        for (index, next) in text.enumerated() {
            if index == character - 1 { column = line.count }
            if next.isNewline {
                if index >= character - 1 { break }
                line = []
                number += 1
            } else {
                line.append(next)
            }
        }
        if character > text.count { column = line.count }
        let start = line.count > columnsMax ? max(0, min(column - columnsMax / 2, line.count - columnsMax)) : 0
        let shown = String(line.dropFirst(start).prefix(columnsMax)).map { $0 == "\t" ? " " : $0 }
        let place = "line \(number), column \(column + 1): "
        return "  " + place + String(shown) + "\n  "
            + String(repeating: " ", count: place.count + column - start) + "^"
    }
}
