/// Recognizes conjuncts of conditions by SQLite's grammar (sqlite.org/lang_expr.html). It recognizes a form completely,
/// or not at all.
struct ConditionParser {
    /// The names of the path, which are columns and hide the words `true` and `false`.
    private let names: Set<String>

    init(names: [String]) { self.names = Set(names.map { $0.lowercased() }) }

    typealias Tokens = ArraySlice<ConditionToken>

    /// The parts between the ANDs; nil where an operator binds less than AND, or may contain an AND of its own.
    func conjuncts(of tokens: Tokens) -> [Tokens]? {
        var parts: [Tokens] = []
        var (depth, start, isBetween) = (0, tokens.startIndex, false)
        for (index, token) in zip(tokens.indices, tokens) {
            switch token {
            case .sign("("): depth += 1
            case .sign(")"): depth -= 1
            case .word("or") where depth == 0, .word("case"), .word("select"), .word("exists"): return nil
            case .word("between") where depth == 0: isBetween = true
            case .word("and") where depth == 0:
                if isBetween {
                    isBetween = false
                } else {
                    parts.append(tokens[start..<index])
                    start = index + 1
                }
            default: break
            }
        }
        return parts + [tokens[start...]]
    }

    /// The tests that a conjunct means, all of which must be true; nil when its form is not recognized.
    func tests(in conjunct: Tokens) -> [ConditionTest]? {
        var rest = conjunct
        if let inside = Self.withoutParentheses(rest) {
            guard let parts = conjuncts(of: inside) else { return nil }
            var found: [ConditionTest] = []
            for part in parts {
                guard let tests = tests(in: part) else { return nil }
                found += tests
            }
            return found
        }
        if let field = field(&rest) { return tests(of: field, rest) }
        guard let literal = literal(&rest), let comparison = comparison(&rest), let field = field(&rest),
            rest.isEmpty, !field.names.isEmpty
        else { return nil }
        return [.compare(field, comparison.flipped, literal)]
    }

    /// The tests that the tokens after a field mean.
    private func tests(of field: ConditionField, _ tokens: Tokens) -> [ConditionTest]? {
        var rest = tokens
        if let isNull = Self.nullTest(rest) { return [.isNull(field, isNull)] }
        guard !field.names.isEmpty else { return nil }
        if let comparison = comparison(&rest) {
            if let literal = literal(&rest) { return rest.isEmpty ? [.compare(field, comparison, literal)] : nil }
            guard let other = self.field(&rest), rest.isEmpty, !other.names.isEmpty else { return nil }
            return [.compareFields(field, comparison, other)]
        }
        switch rest.popFirst() {
        case .word("between"):
            guard let low = literal(&rest), rest.popFirst() == .word("and"), let high = literal(&rest), rest.isEmpty
            else { return nil }
            return [.compare(field, .greaterOrEqual, low), .compare(field, .lessOrEqual, high)]
        case .word("in"):
            guard rest.popFirst() == .sign("("), let first = literal(&rest) else { return nil }
            var literals = [first]
            while rest.first == .sign(",") {
                rest.removeFirst()
                guard let next = literal(&rest) else { return nil }
                literals.append(next)
            }
            return rest.elementsEqual([.sign(")")]) ? [.isAmong(field, literals)] : nil
        default: return nil
        }
    }

    private static func nullTest(_ tokens: Tokens) -> Bool? {
        let words = Array(tokens)
        switch words {
        case [.word("is"), .word("null")], [.word("isnull")]: return true
        case [.word("is"), .word("not"), .word("null")], [.word("notnull")], [.word("not"), .word("null")]: return false
        default: return nil
        }
    }

    private func comparison(_ tokens: inout Tokens) -> ConditionTest.Comparison? {
        guard case .sign(let sign)? = tokens.first else { return nil }
        let found: ConditionTest.Comparison
        switch sign {
        case "=", "==": found = .equal
        case "<>", "!=": found = .notEqual
        case "<": found = .less
        case "<=": found = .lessOrEqual
        case ">": found = .greater
        case ">=": found = .greaterOrEqual
        default: return nil
        }
        tokens.removeFirst()
        return found
    }

    private func literal(_ tokens: inout Tokens) -> ConditionScalar? {
        let start = tokens
        if let literal = literalOrNot(&tokens) { return literal }
        tokens = start
        return nil
    }

    private func literalOrNot(_ tokens: inout Tokens) -> ConditionScalar? {
        var isNegative = false
        if tokens.first == .sign("-") {
            isNegative = true
            tokens.removeFirst()
        }
        switch tokens.popFirst() {
        case .integer(let value): return .integer(isNegative ? -value : value)
        case .real(let value): return .real(isNegative ? -value : value)
        case .text(let bytes) where !isNegative: return .text(bytes)
        case .word("true") where !isNegative && !names.contains("true"): return .exact(1)
        case .word("false") where !isNegative && !names.contains("false"): return .exact(0)
        default: return nil
        }
    }

    /// `after`, `after ->> 'a'`, `after -> 'a' ->> 'b'`, `after ->> '$.a.b'`, `json_extract(after, '$.a.b')`, and these in
    /// parentheses.
    private func field(_ tokens: inout Tokens) -> ConditionField? {
        let start = tokens
        if let field = fieldOrNot(&tokens) { return field }
        tokens = start
        return nil
    }

    private func fieldOrNot(_ tokens: inout Tokens) -> ConditionField? {
        if tokens.first == .sign("(") {
            tokens.removeFirst()
            guard let field = field(&tokens), tokens.popFirst() == .sign(")") else { return nil }
            // `(after -> 'a') ->> 'b'` is rare and not recognized; it must not be mistaken for `(after -> 'a')`.
            return Self.isArrow(tokens.first) ? nil : field
        }
        if tokens.first == .word("json_extract") {
            tokens.removeFirst()
            guard tokens.popFirst() == .sign("("), let isBefore = Self.side(tokens.popFirst()),
                tokens.popFirst() == .sign(","), case .text(let path)? = tokens.popFirst(),
                let names = Self.names(inPath: path), tokens.popFirst() == .sign(")"), !Self.isArrow(tokens.first)
            else { return nil }
            return ConditionField(isBefore: isBefore, names: names)
        }
        guard let isBefore = Self.side(tokens.popFirst()) else { return nil }
        var found: [String] = []
        var isText = true
        while Self.isArrow(tokens.first) {
            // The result of ->> is not JSON any more, unless it was an object.
            guard isText == found.isEmpty else { return nil }
            isText = tokens.popFirst() == .sign("->>")
            guard case .text(let label)? = tokens.popFirst(), let names = Self.names(inLabel: label) else { return nil }
            found += names
        }
        return isText ? ConditionField(isBefore: isBefore, names: found) : nil
    }

    private static func side(_ token: ConditionToken?) -> Bool? {
        token == .word("before") ? true : token == .word("after") ? false : nil
    }

    private static func isArrow(_ token: ConditionToken?) -> Bool { token == .sign("->") || token == .sign("->>") }

    /// The tokens inside parentheses that enclose all of them.
    private static func withoutParentheses(_ tokens: Tokens) -> Tokens? {
        guard tokens.first == .sign("("), tokens.last == .sign(")") else { return nil }
        var depth = 0
        for (index, token) in zip(tokens.indices, tokens) {
            if token == .sign("(") { depth += 1 }
            if token == .sign(")") { depth -= 1 }
            if depth == 0, index < tokens.endIndex - 1 { return nil }
        }
        return tokens.dropFirst().dropLast()
    }

    /// The names of `$.a.b`, each an identifier; nil for any other path.
    private static func names(inPath path: [UInt8]) -> [String]? {
        guard path.starts(with: "$.".utf8) else { return nil }
        let parts = path.dropFirst(2).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ isIdentifier($0) }) else { return nil }
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in the text after an arrow: a path, or one identifier.
    private static func names(inLabel label: [UInt8]) -> [String]? {
        isIdentifier(label[...]) ? [String(decoding: label, as: UTF8.self)] : names(inPath: label)
    }

    private static func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, !(0x30...0x39).contains(first) else { return false }
        return bytes.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
        }
    }
}

extension ConditionParser {
    /// Words and functions that never fail, whatever their arguments.
    private static let harmless: Set<String> = [
        "and", "or", "not", "is", "null", "in", "between", "isnull", "notnull", "true", "false", "before", "after",
        "now",
        "lower", "upper", "length", "coalesce", "ifnull", "nullif", "typeof", "instr", "trim", "ltrim", "rtrim",
    ]

    /// Whether an unrecognized part has a value for every document.
    ///
    /// Paths must be literal, and an arrow may only follow a document: a text that is not JSON would fail.
    func cannotFail(_ tokens: Tokens) -> Bool {
        var previous: ConditionToken?
        // Whether the tokens so far are a document, or JSON that an arrow has taken out of one.
        var isJSON = false
        var path: ConditionToken?
        for token in tokens {
            if let arrow = path {
                guard case .text(let label) = token, Self.names(inLabel: label) != nil else { return false }
                isJSON = arrow == .sign("->")
                path = nil
                previous = token
                continue
            }
            switch token {
            case .word(let word):
                guard Self.harmless.contains(word) || names.contains(word) else { return false }
                isJSON = Self.side(token) != nil && !Self.isArrow(previous)
            case .sign("->"), .sign("->>"):
                guard isJSON else { return false }
                path = token
            case .sign, .integer, .real, .text: isJSON = false
            }
            previous = token
        }
        return path == nil
    }
}
