/// Splits Swift text into tokens, well enough for rules of style. Comments and the texts of strings are kept apart,
/// interpolated code stays, and a name in backticks is one token.
struct Tokenizer {
    private(set) var tokens: [Token] = []
    private(set) var comments: [Token] = []
    /// The texts of string literals, line by line, without interpolated code.
    private(set) var strings: [Token] = []
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lastEnd = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func scan() {
        while position < bytes.count { scanToken() }
    }

    private func byte(_ offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    private func starts(with text: StaticString) -> Bool {
        String(describing: text).utf8.enumerated().allSatisfy { byte($0.offset) == $0.element }
    }

    private mutating func scanToken() {
        let first = byte()
        if starts(with: "//") {
            scanLineComment()
        } else if starts(with: "/*") {
            scanBlockComment()
        } else if first == UInt8(ascii: "\"") || (first == UInt8(ascii: "#") && opensRawString()) {
            scanString()
        } else if first == UInt8(ascii: "`") {
            scanQuotedName()
        } else if Self.isWord(first)
            || ((first == UInt8(ascii: "@") || first == UInt8(ascii: "#")) && Self.isWord(byte(1)))
        {
            take(Self.isWord)
        } else {
            let start = position
            advance()
            if first > UInt8(ascii: " ") { append(from: start, line: line) }
        }
    }

    /// Takes the byte here and all that follow while they belong to the token.
    private mutating func take(_ belongs: (UInt8) -> Bool) {
        let start = position
        let firstLine = line
        advance()
        while position < bytes.count, belongs(byte()) { advance() }
        append(from: start, line: firstLine)
    }

    private mutating func scanQuotedName() {
        let start = position
        repeat { advance() } while position < bytes.count && byte() != UInt8(ascii: "`") && byte() != UInt8(ascii: "\n")
        advance()
        append(from: start, line: line)
    }

    private mutating func append(from start: Int, line: Int) {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        tokens.append(Token(text: text, line: line, isAttached: start == lastEnd))
        lastEnd = position
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }

    private mutating func scanLineComment() {
        let start = position
        while position < bytes.count, byte() != UInt8(ascii: "\n") { advance() }
        comments.append(Token(text: String(decoding: bytes[start..<position], as: UTF8.self), line: line))
    }

    private mutating func scanBlockComment() {
        let start = position
        let firstLine = line
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                advance(2)
            } else if starts(with: "*/") {
                depth -= 1
                advance(2)
            } else {
                advance()
            }
        } while depth > 0 && position < bytes.count
        comments.append(Token(text: String(decoding: bytes[start..<position], as: UTF8.self), line: firstLine))
    }

    private func opensRawString() -> Bool {
        var offset = 0
        while byte(offset) == UInt8(ascii: "#") { offset += 1 }
        return byte(offset) == UInt8(ascii: "\"")
    }

    private func hashes(at offset: Int) -> Int {
        var count = 0
        while byte(offset + count) == UInt8(ascii: "#") { count += 1 }
        return count
    }

    private mutating func scanString() {
        let pounds = hashes(at: 0)
        advance(pounds)
        let isLong = starts(with: "\"\"\"")
        advance(isLong ? 3 : 1)
        var start = position
        while position < bytes.count {
            if byte() == UInt8(ascii: "\\"), hashes(at: 1) >= pounds {
                let end = position
                advance(1 + pounds)
                guard byte() == UInt8(ascii: "(") else {
                    advance()
                    continue
                }
                appendText(from: start, to: end)
                scanInterpolation()
                start = position
            } else if isLong ? starts(with: "\"\"\"") : byte() == UInt8(ascii: "\"") {
                appendText(from: start, to: position)
                advance(isLong ? 3 : 1)
                guard hashes(at: 0) < pounds else { return advance(pounds) }
            } else if byte() == UInt8(ascii: "\n") {
                guard isLong else { return }  // a string that is not closed ends with its line
                appendText(from: start, to: position)
                advance()
                start = position
            } else {
                advance()
            }
        }
    }

    private mutating func appendText(from start: Int, to end: Int) {
        guard start < end else { return }
        strings.append(Token(text: String(decoding: bytes[start..<end], as: UTF8.self), line: line))
    }

    private mutating func scanInterpolation() {
        var depth = 0
        repeat {
            if byte() == UInt8(ascii: "(") { depth += 1 }
            if byte() == UInt8(ascii: ")") { depth -= 1 }
            scanToken()
        } while depth > 0 && position < bytes.count
    }
}
