/// Words in lines.
///
/// - Confinement: any
package enum FilledLines {
    /// Puts words into lines of at most this number of characters; a longer word has a line of its own.
    package static func of(_ words: [String], columns: Int) -> [String] {
        var lines: [String] = []
        for word in words {
            if let line = lines.last, line.count + 1 + word.count <= columns {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
