/// A question of a search: words and phrases that a text must have all.
///
/// - Confinement: any
package struct SearchQuestion: Sendable, Equatable {
    /// Words that stand one after the other in a text; mostly one.
    package struct Term: Sendable, Equatable {
        package let words: [String]
        /// Whether the last of them may be only the beginning of a word.
        package let isBeginning: Bool
    }

    /// Why a text is no question.
    ///
    /// - Confinement: any
    package enum Problem: Error {
        /// There is no letter, digit or sign in it.
        case noWord
        case tooManyWords
    }

    package static let wordsMax = 16

    package let terms: [Term]

    /// Words in quotes are a phrase. A word that the fold takes apart, such as `l'amico` or `映画`, is a phrase, too. The last
    /// word, outside of quotes, is also taken as the beginning of a word.
    package init(_ text: String) throws(Problem) {
        let quotes: Set<Character> = ["\"", "“", "”", "„", "«", "»"]
        var terms: [Term] = []
        var isQuoted = false
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: quotes.contains) {
            let phrases = isQuoted ? [part] : part.split(whereSeparator: \.isWhitespace)
            for phrase in phrases {
                let words = FoldedText(String(phrase)).words.map(\.text)
                if !words.isEmpty { terms.append(Term(words: words, isBeginning: false)) }
            }
            isQuoted.toggle()
        }
        // The last part was not quoted, unless its quote is still being typed.
        if let last = terms.popLast() {
            let endsInQuotes = text.last.map { quotes.contains($0) || $0.isWhitespace } ?? true
            terms.append(Term(words: last.words, isBeginning: !endsInQuotes))
        }
        guard !terms.isEmpty else { throw .noWord }
        guard terms.reduce(0, { $0 + $1.words.count }) <= Self.wordsMax else { throw .tooManyWords }
        self.terms = terms
    }

    /// The parts of a text that answer the question, in its order; nil when it lacks a term. Parts that overlap are one, and
    /// so are signs of one phrase.
    ///
    /// - Parameters:
    ///   - more: a second text in which terms may stand, too; it has no marks.
    package func marks(in text: FoldedText, or more: FoldedText? = nil) -> [Range<Int>]? {
        var marks: [Range<Int>] = []
        for term in terms {
            let found = term.marks(in: text.words)
            guard !found.isEmpty || more.map({ !term.marks(in: $0.words).isEmpty }) == true else { return nil }
            marks += found
        }
        marks.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var merged: [Range<Int>] = []
        for mark in marks {
            if let last = merged.last, mark.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, mark.upperBound)
            } else {
                merged.append(mark)
            }
        }
        return merged
    }
}

extension SearchQuestion.Term {
    /// Where the words stand one after the other.
    fileprivate func marks(in text: [FoldedText.Word]) -> [Range<Int>] {
        guard text.count >= words.count else { return [] }
        return (0...(text.count - words.count)).compactMap { first in
            let last = words.count - 1
            for index in 0...last where text[first + index].text != words[index] {
                guard index == last, isBeginning, text[first + index].text.hasPrefix(words[index]) else { return nil }
            }
            return text[first].start..<text[first + last].end
        }
    }
}
