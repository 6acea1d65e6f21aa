/// Splits an expression into SQLite's tokens, to make sure that it cannot leave its parentheses.
///
/// SQLite's own parser decides whether the text is an expression. This scanner refuses texts that could end the
/// parentheses around them (`1) FROM x --`), hide the text after them (`/*`), begin a second statement, or name a
/// parameter. Its rules are those of SQLite's `tokenize.c`.
struct ConditionScanner {
    /// Which inputs an expression mentions, by words outside of strings.
    struct Mentions: Hashable {
        var before = false
        var after = false
        var now = false
        /// Indexes of the path's names; the other documents are counted after these.
        var names: [Int] = []
        /// Operators and calls in the text, each of which may look at a whole document; rather too many than too few.
        var operations = 0
    }

    private let bytes: [UInt8]
    private let names: [String]
    private var index = 0
    private var open: [Int] = []
    private var mentions = Mentions()
    private var isEmpty = true

    /// Checks `text`.
    ///
    /// - Throws: ``PatternProblem`` with the place.
    static func scan(_ text: String, names: [String]) throws(PatternProblem) -> Mentions {
        var scanner = ConditionScanner(bytes: Array(text.utf8), names: names.map { $0.lowercased() })
        return try scanner.scan()
    }

    /// The character, from 1, at the byte `offset` of `bytes`.
    static func character(at offset: Int, of bytes: [UInt8]) -> Int {
        String(decoding: bytes.prefix(max(0, offset)), as: UTF8.self).count + 1
    }

    private mutating func scan() throws(PatternProblem) -> Mentions {
        // SQLite stops reading at a zero byte.
        if let zero = bytes.firstIndex(of: 0) {
            throw problem(
                "an expression must not have control characters", at: zero)
        }
        while index < bytes.count { try token() }
        if let place = open.last { throw problem("this parenthesis is not closed", at: place) }
        guard !isEmpty else { throw PatternProblem("an expression must not be empty") }
        mentions.names = Array(Set(mentions.names)).sorted()
        return mentions
    }

    private mutating func token() throws(PatternProblem) {
        let start = index
        let byte = bytes[index]
        index += 1
        switch byte {
        case 0x09, 0x0a, 0x0c, 0x0d, 0x20: return
        case UInt8(ascii: "-") where peek == UInt8(ascii: "-"):
            while index < bytes.count, bytes[index] != 0x0a { index += 1 }
            return
        case UInt8(ascii: "/") where peek == UInt8(ascii: "*"): return try comment(from: start)
        case UInt8(ascii: "'"): try quoted(by: byte, from: start, isName: false)
        case UInt8(ascii: "\""), UInt8(ascii: "`"): try quoted(by: byte, from: start, isName: true)
        case UInt8(ascii: "["): try quoted(by: UInt8(ascii: "]"), from: start, isName: true)
        case UInt8(ascii: "("):
            open.append(start)
            mentions.operations += 1
        case UInt8(ascii: ")"):
            guard open.popLast() != nil else { throw problem("this parenthesis was not opened", at: start) }
        case UInt8(ascii: ";"): throw problem("an expression must not have ';'", at: start)
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            throw problem(
                "an expression must not have parameters; its inputs are before, after, now and the "
                    + "names of the row", at: start)
        case 0x00...0x1f, 0x7f: throw problem("an expression must not have control characters", at: start)
        case _ where Self.isWord(byte):
            while index < bytes.count, Self.isWord(bytes[index]) || bytes[index] == UInt8(ascii: "$") { index += 1 }
            mention(String(decoding: bytes[start..<index], as: UTF8.self))
        case UInt8(ascii: ","), UInt8(ascii: "."): break
        default: mentions.operations += previous == byte || previous == UInt8(ascii: "-") ? 0 : 1
        }
        isEmpty = false
    }

    private var previous: UInt8? { index >= 2 ? bytes[index - 2] : nil }
    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func comment(from start: Int) throws(PatternProblem) {
        index += 1
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") {
                index += 2
                return
            }
            index += 1
        }
        throw problem("this comment is not closed", at: start)
    }

    /// Reads to the closing quote. A doubled quote stands for one, except in `[…]`, where it is not allowed.
    private mutating func quoted(by end: UInt8, from start: Int, isName: Bool) throws(PatternProblem) {
        var content: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == end {
                guard end != UInt8(ascii: "]"), peek == end else {
                    if isName { mention(String(decoding: content, as: UTF8.self)) }
                    return
                }
                index += 1
            }
            content.append(byte)
        }
        throw problem("this quote is not closed", at: start)
    }

    private mutating func mention(_ word: String) {
        let folded = word.lowercased()
        switch folded {
        case "like", "glob", "in", "cast", "collate": mentions.operations += 1
        case "before": mentions.before = true
        case "after": mentions.after = true
        case "now": mentions.now = true
        default:
            if let index = names.firstIndex(of: folded) { mentions.names.append(index) }
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
            || (0x61...0x7a).contains(byte | 0x20)
    }

    private func problem(_ reason: String, at offset: Int) -> PatternProblem {
        PatternProblem(reason, character: Self.character(at: offset, of: bytes))
    }
}
