/// The words of a typed line. Blanks separate them, but for those in quotes; a backslash takes away the meaning of the
/// character after it.
enum TypedWords {
    /// A word, and its parts where it is `name=value`.
    struct Word: Equatable {
        /// All of it, without quotes.
        let text: String
        /// The part before the first `=` that was not quoted; nil when there is none.
        let name: String?
        /// The part after it.
        let value: String
        /// Whether the `=` may belong to a text: `text=a b=c`.
        let mayContinue: Bool
    }

    /// Splits a line.
    static func split(_ line: String) throws(TypedCommand.Mistake) -> [Word] {
        var words: [Word] = []
        var reader = Reader(line)
        while let word = try reader.next() { words.append(word) }
        guard !words.isEmpty else { throw TypedCommand.Mistake("type a command; 'help' lists them") }
        return words
    }

    private struct Reader {
        private var rest: Substring

        init(_ line: String) { rest = line[...] }

        mutating func next() throws(TypedCommand.Mistake) -> Word? {
            rest = rest.drop(while: \.isWhitespace)
            guard !rest.isEmpty else { return nil }
            var text = ""
            var equals: String.Index?
            var quote: Character?
            var wasQuoted = false
            while let character = rest.popFirst() {
                switch character {
                case "\\": text.append(rest.popFirst() ?? "\\")
                case quote: quote = nil
                case "\"" where quote == nil, "'" where quote == nil && (text.isEmpty || text.last == "="):
                    quote = character
                    wasQuoted = true
                case "=" where quote == nil && equals == nil:
                    equals = text.endIndex
                    text.append(character)
                    if rest.first == "{" || rest.first == "[" {
                        text += takeJSON()
                        wasQuoted = true
                    }
                case _ where quote == nil && character.isWhitespace:
                    return Self.word(text, equals, wasQuoted)
                default: text.append(character)
                }
            }
            if let quote { throw TypedCommand.Mistake("a \(quote) is not closed") }
            return Self.word(text, equals, wasQuoted)
        }

        /// Takes an object or a list up to its end; all of the line where it has none.
        private mutating func takeJSON() -> Substring {
            var depth = 0
            var isInString = false
            var isEscaped = false
            let end = rest.firstIndex { character in
                defer { isEscaped = character == "\\" && !isEscaped }
                if character == "\"", !isEscaped { isInString.toggle() }
                guard !isInString else { return false }
                if character == "{" || character == "[" { depth += 1 }
                if character == "}" || character == "]" { depth -= 1 }
                return depth == 0
            }
            let json = end.map { rest[...$0] } ?? rest
            rest = rest[json.endIndex...]
            return json
        }

        private static func word(_ text: String, _ equals: String.Index?, _ wasQuoted: Bool) -> Word {
            guard let equals, equals > text.startIndex else {
                return Word(text: text, name: nil, value: text, mayContinue: true)
            }
            let name = String(text[..<equals])
            return Word(
                text: text, name: name, value: String(text[text.index(after: equals)...]), mayContinue: !wasQuoted)
        }
    }
}
