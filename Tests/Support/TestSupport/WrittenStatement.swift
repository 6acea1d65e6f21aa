/// The text of a statement that writes, as it must be so that every node that repeats it does the same.
package struct WrittenStatement {
    private let words: [String]

    /// - Parameter sql: its text.
    package init(_ sql: String) {
        var words: [String] = []
        var word = ""
        for character in sql.lowercased() {
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
                continue
            }
            if !word.isEmpty { words.append(word) }
            word = ""
            if "()'".contains(character) { words.append(String(character)) }
        }
        self.words = word.isEmpty ? words : words + [word]
    }

    /// The parts that another node could understand in another way; empty when there are none.
    package var objections: [String] { limitsWithoutOrder + guesses }

    /// A `LIMIT` chooses rows, and without an order in the same pair of parentheses any rows.
    private var limitsWithoutOrder: [String] {
        var ordered = [false]
        var found: [String] = []
        for (place, word) in words.enumerated() {
            switch word {
            case "(": ordered.append(false)
            case ")": if ordered.count > 1 { ordered.removeLast() }
            case "order" where next(place) == "by": ordered[ordered.count - 1] = true
            case "limit" where !ordered[ordered.count - 1]: found.append("LIMIT without ORDER BY")
            default: break
            }
        }
        return found
    }

    /// Functions that give each node another value.
    private var guesses: [String] {
        let functions: Set = ["random", "randomblob", "changes", "total_changes", "last_insert_rowid"]
        let clocks: Set = ["current_timestamp", "current_date", "current_time"]
        return words.indices.compactMap { place in
            let word = words[place]
            // `INSERT INTO changes(seq, …)` names a table.
            let isTable = place > 0 && words[place - 1] == "into"
            if functions.contains(word), next(place) == "(", !isTable { return word + "()" }
            let isNow = word == "now" && place > 0 && words[place - 1] == "'" && next(place) == "'"
            return isNow || clocks.contains(word) ? "the time of the node's clock" : nil
        }
    }

    private func next(_ place: Int) -> String { place + 1 < words.count ? words[place + 1] : "" }
}
