/// Mends the mistakes that programs make when they put XML together from texts.
///
/// - characters that XML forbids, as such and by number, are left out; those that move to another place of the line become blanks
/// - an ampersand that begins no entity, and a bracket that begins no tag, mean themselves
/// - values of attributes get the quotes that they lack, and brackets in them mean themselves
/// - text in front of the XML declaration, comments, and instructions such as a second declaration are left out
///
/// Line ends are kept, so that errors name the right lines.
///
/// - Confinement: any
struct XMLMender {
    private let input: [UInt8]
    private var output: [UInt8] = []
    private var index = 0

    /// The document, in valid UTF-8 like the given one, mended from each place where it may begin: its XML declaration, and its first
    /// bracket, since declarations also stand where they do not belong. Empty when there is nothing like XML in it.
    static func attempts(_ bytes: [UInt8]) -> [[UInt8]] {
        let head = bytes.prefix(searchBytesMax)
        guard let bracket = head.firstIndex(of: UInt8(ascii: "<")) else { return [] }
        let declaration = head[bracket...].indices.first {
            bytes[$0] == UInt8(ascii: "<") && bytes[$0...].starts(with: declarationStart)
        }
        return Set([declaration ?? bracket, bracket]).sorted(by: >).map { start in
            var mender = XMLMender(bytes)
            mender.skip(to: start)
            while mender.index < bytes.count { mender.step() }
            return mender.output
        }
    }

    /// How far from its start a document may begin: warnings of programs stand there.
    private static let searchBytesMax = 16 << 10
    /// The longest name of an entity; HTML's longest has 31 letters.
    private static let entityBytesMax = 32
    private static let declarationStart = Array("<?xml ".utf8)
    private static let comment = (start: Array("<!--".utf8), end: Array("-->".utf8))
    private static let characters = (start: Array("<![CDATA[".utf8), end: Array("]]>".utf8))
    private static let instructionEnd = Array("?>".utf8)
    private static let emptyTagEnd = Array("/>".utf8)

    private init(_ bytes: [UInt8]) {
        input = bytes
        output.reserveCapacity(bytes.count + 64)
    }

    /// Leaves bytes out, but for their line ends.
    private mutating func skip(to end: Int) {
        while index < end {
            if input[index] == UInt8(ascii: "\n") { output.append(input[index]) }
            index += 1
        }
    }

    private func isHere(_ bytes: [UInt8]) -> Bool { input[index...].starts(with: bytes) }

    /// The place after some bytes, or the end.
    private func place(after bytes: [UInt8]) -> Int {
        var place = index
        while place < input.count {
            if input[place] == bytes[0], input[place...].starts(with: bytes) { return place + bytes.count }
            place += 1
        }
        return input.count
    }

    private mutating func step() {
        switch input[index] {
        case UInt8(ascii: "<"): bracket()
        case UInt8(ascii: "&"): ampersand()
        default: copy()
        }
    }

    private mutating func bracket() {
        switch index + 1 < input.count ? input[index + 1] : 0 {
        case UInt8(ascii: "!") where isHere(Self.comment.start): skip(to: place(after: Self.comment.end))
        case UInt8(ascii: "!") where isHere(Self.characters.start):
            let end = place(after: Self.characters.end)
            while index < end { copy() }
        case UInt8(ascii: "?"): skip(to: place(after: Self.instructionEnd))
        case UInt8(ascii: "/"), UInt8(ascii: "!"): copy()
        case let byte where Self.beginsTag(byte): tag()
        default: replace(by: "&lt;")
        }
    }

    /// Copies a tag up to its end, or to the next bracket.
    private mutating func tag() {
        copy()
        while index < input.count {
            switch input[index] {
            case UInt8(ascii: "<"): return
            case UInt8(ascii: ">"): return copy()
            case UInt8(ascii: "="):
                copy()
                value()
            default: copy()
            }
        }
    }

    /// Copies the value of an attribute, with quotes.
    private mutating func value() {
        while index < input.count, Self.isBlank(input[index]) { copy() }
        guard index < input.count else { return }
        let quote = input[index]
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        if isQuoted { copy() } else { output.append(UInt8(ascii: "\"")) }
        while index < input.count {
            let byte = input[index]
            guard isQuoted ? byte != quote : !isEndOfBareValue(byte) else { break }
            switch byte {
            case UInt8(ascii: "<"): replace(by: "&lt;")
            case UInt8(ascii: "\"") where !isQuoted: replace(by: "&quot;")
            case UInt8(ascii: "&"): ampersand()
            default: copy()
            }
        }
        if !isQuoted { output.append(UInt8(ascii: "\"")) } else if index < input.count { copy() }
    }

    /// Whether a value without quotes ends before this byte: at a blank or with its tag.
    private func isEndOfBareValue(_ byte: UInt8) -> Bool {
        Self.isBlank(byte) || byte == UInt8(ascii: ">") || isHere(Self.emptyTagEnd)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private mutating func replace(by entity: String) {
        output += Array(entity.utf8)
        index += 1
    }

    private static func beginsTag(_ byte: UInt8) -> Bool {
        isNameByte(byte) && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...: true
        default: false
        }
    }

    /// Copies an entity that may stand there, leaves out one that names a forbidden character, and else escapes the ampersand.
    private mutating func ampersand() {
        guard index + 1 < input.count, Self.isNameByte(input[index + 1]) || input[index + 1] == UInt8(ascii: "#") else {
            return replace(by: "&amp;")
        }
        let name = input[(index + 1)...].prefix(Self.entityBytesMax).prefix { $0 != UInt8(ascii: ";") }
        let end = name.endIndex
        let isEnded = end < input.count && input[end] == UInt8(ascii: ";")
        guard isEnded, let first = name.first else { return replace(by: "&amp;") }
        if first == UInt8(ascii: "#") {
            guard let isAllowed = Self.isAllowed(number: name.dropFirst()) else { return replace(by: "&amp;") }
            if isAllowed { output += input[index...end] }
        } else {
            guard name.allSatisfy(Self.isNameByte), Self.beginsTag(first) else { return replace(by: "&amp;") }
            output += input[index...end]
        }
        index = end + 1
    }

    /// Whether XML allows the character with a number (production 2); nil when it is not a number.
    private static func isAllowed(number: ArraySlice<UInt8>) -> Bool? {
        let isHexadecimal = number.first == UInt8(ascii: "x")
        let digits = isHexadecimal ? number.dropFirst() : number
        guard !digits.isEmpty else { return nil }
        var value = 0
        for digit in digits {
            guard let digit = Character(UnicodeScalar(digit)).hexDigitValue, isHexadecimal || digit < 10 else {
                return nil
            }
            // Larger numbers are all forbidden.
            value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x11_0000)
        }
        return [0x09, 0x0a, 0x0d].contains(value) || (0x20...0xd7ff).contains(value)
            || (0xe000...0xfffd).contains(value) || (0x1_0000...0x10_ffff).contains(value)
    }

    /// Copies one byte, if XML allows its character.
    private mutating func copy() {
        let byte = input[index]
        switch byte {
        case 0x09, 0x0a, 0x0d, 0x20...0xee, 0xf0...: output.append(byte)
        // U+FFFE and U+FFFF.
        case 0xef
        where input[index...].starts(with: [0xef, 0xbf, 0xbe]) || input[index...].starts(with: [0xef, 0xbf, 0xbf]):
            index += 2
        case 0xef: output.append(byte)
        case 0x0b, 0x0c, 0x1c...0x1f: output.append(UInt8(ascii: " "))
        default: break
        }
        index += 1
    }
}
