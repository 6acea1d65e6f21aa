/// Takes out of a module what only its readers need: comments, indentation, empty lines, and spaces beside punctuation. Lines and
/// names stay, so an error still names a place that a person finds.
///
/// It reads JavaScript as far as that needs: strings, templates with code inside, regular expressions and comments. It does not
/// know a regular expression at the beginning of a statement or after `)`, where a slash counts as a division.
struct ModuleCompaction {
    private let source: [UInt8]
    private var place = 0
    private var output: [UInt8] = []
    private var isSpacePending = false

    static func compact(_ source: [UInt8]) -> [UInt8] {
        var compaction = ModuleCompaction(source)
        compaction.code(isInTemplate: false)
        return compaction.output
    }

    private init(_ source: [UInt8]) {
        self.source = source
        output.reserveCapacity(source.count)
    }

    private var next: UInt8? { place + 1 < source.count ? source[place + 1] : nil }

    /// Reads code until the end, or past the brace that ends a template's part.
    private mutating func code(isInTemplate: Bool) {
        var depth = 0
        while place < source.count {
            let byte = source[place]
            switch byte {
            case UInt8(ascii: " "):
                isSpacePending = true
                place += 1
                continue
            case UInt8(ascii: "\n"):
                endLine()
                continue
            case UInt8(ascii: "/") where next == UInt8(ascii: "/"):
                while place < source.count, source[place] != UInt8(ascii: "\n") { place += 1 }
                continue
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
                skipComment()
                continue
            default: break
            }
            space(before: byte)
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): copy(until: byte)
            case UInt8(ascii: "`"): template()
            case UInt8(ascii: "/") where beginsExpression: copy(until: byte)
            case UInt8(ascii: "{"):
                depth += 1
                copy()
            case UInt8(ascii: "}"):
                copy()
                if isInTemplate, depth == 0 { return }
                depth -= 1
            default: copy()
            }
        }
    }

    private mutating func copy() {
        output.append(source[place])
        place += 1
    }

    /// Copies a string or a regular expression; inside brackets of the latter a slash is a character.
    private mutating func copy(until end: UInt8) {
        var isInBrackets = false
        copy()
        while place < source.count, source[place] != end || isInBrackets {
            if source[place] == UInt8(ascii: "\\") { copy() }
            if end == UInt8(ascii: "/") {
                if source[place] == UInt8(ascii: "[") { isInBrackets = true }
                if source[place] == UInt8(ascii: "]") { isInBrackets = false }
            }
            copy()
        }
        if place < source.count { copy() }
    }

    private mutating func template() {
        copy()
        while place < source.count, source[place] != UInt8(ascii: "`") {
            if source[place] == UInt8(ascii: "\\") {
                copy()
            } else if source[place] == UInt8(ascii: "$"), next == UInt8(ascii: "{") {
                copy()
                copy()
                code(isInTemplate: true)
                continue
            }
            copy()
        }
        if place < source.count { copy() }
    }

    private mutating func skipComment() {
        place += 2
        while place < source.count, source[place] != UInt8(ascii: "*") || next != UInt8(ascii: "/") { place += 1 }
        place += 2
        isSpacePending = true
    }

    private mutating func endLine() {
        place += 1
        isSpacePending = false
        if let last = output.last, last != UInt8(ascii: "\n") { output.append(UInt8(ascii: "\n")) }
    }

    /// A space stays between two words, and where two signs would become another one.
    private mutating func space(before byte: UInt8) {
        defer { isSpacePending = false }
        guard isSpacePending, let last = output.last else { return }
        let isSign = byte == last && (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"))
        let isSlash = byte == UInt8(ascii: "/") || last == UInt8(ascii: "/")
        if isSign || isSlash || Self.isOfWord(last) && Self.isOfWord(byte) { output.append(UInt8(ascii: " ")) }
    }

    /// Whether a slash here begins a regular expression: there is nothing before it that could be divided.
    private var beginsExpression: Bool {
        let before = output.reversed().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard let last = before.first else { return true }
        if [UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(last) { return false }
        let word = String(decoding: before.prefix(while: Self.isOfWord).reversed(), as: UTF8.self)
        return word.isEmpty || ["return", "typeof", "case", "in", "of", "throw", "await", "yield"].contains(word)
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
