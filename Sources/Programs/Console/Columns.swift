extension Character {
    /// The columns of a terminal that it takes: 2 for the wide letters of East Asia and for emoji, 0 for a mark that stands on
    /// the letter before it.
    package var columns: Int {
        // This selector asks for the picture of a sign that also has a plain form.
        if unicodeScalars.contains(where: { $0.value == 0xfe0f }) { return 2 }
        // The colours and the companions of a picture are drawn into it; letters that are joined stand side by side.
        guard let first = unicodeScalars.first, first.columns < 2 else { return 2 }
        return unicodeScalars.reduce(0) { $0 + $1.columns }
    }
}

extension Unicode.Scalar {
    /// The columns of one part of a letter.
    fileprivate var columns: Int {
        // The vowels and ends of a Korean letter that is written by its parts.
        if (0x1160...0x11ff).contains(value) { return 0 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }

    /// The blocks of wide and full-width letters (UAX #11), rounded to blocks that hold no others.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3,
        0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18aff,
        0x1b000...0x1b2ff, 0x1f200...0x1f2ff, 0x20000...0x3fffd,
    ]
}

extension String {
    /// The columns of a terminal that the text takes, as one line.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// One line with at most this number of columns; an ellipsis replaces the rest.
    package func cut(to count: Int) -> String {
        split(whereSeparator: \.isNewline).joined(separator: " ").fitted(into: count)
    }

    /// The beginning of the text that fits into some columns, with `…` at its end when something is left out.
    package func fitted(into columns: Int) -> String {
        guard self.columns > columns else { return self }
        var left = columns - 1
        let kept = prefix { letter in
            left -= letter.columns
            return left >= 0
        }
        return kept + "…"
    }

    /// The text in lines of at most some columns, broken between words, or between wide letters, which have no blanks.
    package func lines(of columns: Int) -> [String] {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap { Self.broken($0, columns) }
    }

    private static func broken(_ paragraph: Substring, _ columns: Int) -> [String] {
        var lines: [String] = []
        var line: [Character] = []
        // The letters of the line before which it may end.
        var end: Int?
        for letter in paragraph {
            if line.reduce(0, { $0 + $1.columns }) + letter.columns > columns {
                let kept = letter.isWhitespace ? line.count : end ?? line.count
                lines.append(String(line[..<kept]).withoutBlanksAtEnd)
                line = Array(line[kept...].drop(while: \.isWhitespace))
                end = nil
            }
            if line.isEmpty, letter.isWhitespace, !lines.isEmpty { continue }
            if letter.columns == 2, !line.isEmpty { end = line.count }
            line.append(letter)
            if letter.isWhitespace || letter.columns == 2 { end = line.count }
        }
        return lines + [String(line).withoutBlanksAtEnd]
    }

    private var withoutBlanksAtEnd: String {
        lastIndex { !$0.isWhitespace }.map { String(self[...$0]) } ?? ""
    }
}
