/// A text as the search sees it: its words, without accents, in small letters, and where each stands in the text.
///
/// The fold is ours, since SQLite's tokenizers find neither `Λάμψη` by `λαμψη` nor `łódź` by `lodz`, and take a Japanese
/// sentence for one word. Every letter and digit is taken apart (NFKD), loses its marks and becomes small; a table has the
/// letters that Unicode keeps whole; each Han, Kana or Hangul sign and each emoji is a word of its own.
///
/// Folding a folded text changes nothing.
///
/// - Confinement: any
package struct FoldedText: Sendable, Equatable {
    /// A word, and the part of the text that it was.
    package struct Word: Sendable, Equatable {
        package var text: String
        /// Where it begins in the text, in UTF-16 code units.
        package var start: Int
        /// Where it ends.
        package var end: Int
    }

    package private(set) var words: [Word] = []

    package init(_ text: String) {
        var word = String.UnicodeScalarView()
        var start = 0
        var place = 0
        var end = 0
        func close(_ words: inout [Word]) {
            guard !word.isEmpty else { return }
            words.append(Word(text: String(word), start: start, end: end))
            word = String.UnicodeScalarView()
        }
        func add(_ fold: FoldTable.Fold, until after: Int, to words: inout [Word]) {
            switch fold {
            case .gap: close(&words)
            case .nothing:
                // A mark belongs to the word or the sign before it.
                if !word.isEmpty {
                    end = after
                } else if let last = words.indices.last, words[last].end == place {
                    words[last].end = after
                }
            case .letter(let scalar):
                if word.isEmpty { start = place }
                word.append(scalar)
                end = after
            case .sign(let scalar):
                close(&words)
                words.append(Word(text: String(Character(scalar)), start: place, end: after))
            case .several(let folds):
                for fold in folds { add(fold, until: after, to: &words) }
            }
        }
        var table = FoldTable()
        for scalar in text.unicodeScalars {
            let after = place + (scalar.value > 0xFFFF ? 2 : 1)
            add(table.fold(scalar), until: after, to: &words)
            place = after
        }
        close(&words)
    }

    /// The words with a space between each two.
    package var text: String { words.lazy.map(\.text).joined(separator: " ") }
}
