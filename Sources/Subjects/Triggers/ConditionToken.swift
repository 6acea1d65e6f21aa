/// A token of an expression, of the kinds that ``ConditionParser`` knows.
enum ConditionToken: Hashable {
    /// A word in small letters: SQLite ignores the case of words.
    case word(String)
    case integer(Int64)
    case real(Double)
    /// The text between quotes, with each doubled quote made single.
    case text([UInt8])
    /// Operators and parentheses: `->>`, `<=`, `(`.
    case sign(String)

    /// A longer sign comes before the signs that it begins with.
    private static let signs = [
        "->>", "->", "<=", ">=", "<>", "!=", "==", "=", "<", ">", "(", ")", ",", "+", "-", "*", "/",
    ]

    /// The tokens of a text; nil when it has a token of another kind: a comment, a quoted name, a character beyond
    /// ASCII outside of texts, a hexadecimal number, or a number that is too long to be exact.
    static func all(of text: String) -> [ConditionToken]? {
        let bytes = Array(text.utf8)
        var tokens: [ConditionToken] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
                index += 1
            } else if byte == UInt8(ascii: "'") {
                guard let text = quoted(bytes, &index) else { return nil }
                tokens.append(.text(text))
            } else if isDigit(byte) || byte == UInt8(ascii: ".") {
                guard let number = number(bytes, &index) else { return nil }
                tokens.append(number)
            } else if isLetter(byte) {
                let start = index
                while index < bytes.count, isLetter(bytes[index]) || isDigit(bytes[index]) { index += 1 }
                tokens.append(.word(String(decoding: bytes[start..<index], as: UTF8.self).lowercased()))
            } else {
                let rest = bytes[index...]
                guard let sign = signs.first(where: { rest.starts(with: $0.utf8) }),
                    !rest.starts(with: "--".utf8), !rest.starts(with: "/*".utf8)
                else { return nil }
                tokens.append(.sign(sign))
                index += sign.utf8.count
            }
        }
        return tokens
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private static func quoted(_ bytes: [UInt8], _ index: inout Int) -> [UInt8]? {
        var text: [UInt8] = []
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "'") {
                guard index < bytes.count, bytes[index] == byte else { return text }
                index += 1
            }
            text.append(byte)
        }
        return nil
    }

    /// Digits, or digits around a point; at most fifteen digits.
    private static func number(_ bytes: [UInt8], _ index: inout Int) -> ConditionToken? {
        let start = index
        while index < bytes.count, isDigit(bytes[index]) || bytes[index] == UInt8(ascii: ".") { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard text.utf8.count <= 16, index == bytes.count || !isLetter(bytes[index]) else { return nil }
        if let whole = Int64(text) { return text.utf8.count <= 15 ? .integer(whole) : nil }
        // SQLite also reads `1.` and `.5` as numbers; they are rare and not recognized.
        guard isDigit(bytes[start]), isDigit(bytes[index - 1]), let value = Double(text) else { return nil }
        return .real(value)
    }
}
