/// Makes valid UTF-8 of a text in which some bytes are not.
///
/// - Confinement: any
struct UTF8Mender {
    private(set) var bytes: [UInt8] = []
    /// The bytes that were not UTF-8.
    private(set) var count = 0
    /// The characters of more than one byte.
    private var characters = 0
    private var hasLongRun = false

    /// Whether the text is UTF-8 with mistakes, and not a text in an encoding that nobody named: such a text has words of odd bytes and no
    /// character of UTF-8.
    var isBelievable: Bool { characters > 0 || !hasLongRun }

    /// Whether the text cannot be in another encoding: by accident a few of its characters would be valid, and not most.
    var isMostlyUTF8: Bool { characters >= 4 * count }

    static func mended(_ raw: [UInt8]) -> UTF8Mender {
        var mender = UTF8Mender()
        mender.bytes.reserveCapacity(raw.count + raw.count / 8)
        var index = 0
        while index < raw.count {
            let length = length(ofCharacterAt: index, in: raw)
            if length > 0 {
                if length > 1 { mender.characters += 1 }
                mender.bytes += raw[index..<(index + length)]
                index += length
            } else {
                let start = index
                while index < raw.count, Self.length(ofCharacterAt: index, in: raw) == 0 { index += 1 }
                mender.add(raw[start..<index])
            }
        }
        return mender
    }

    /// Letters of Western languages stand alone among those of ASCII, so one or two odd bytes are windows-1252; more are anything.
    private mutating func add(_ run: ArraySlice<UInt8>) {
        count += run.count
        if run.count > 2 {
            hasLongRun = true
            bytes += Array("\u{fffd}".utf8)
        } else {
            for byte in run { bytes += Array(WesternCharacter.of(byte).utf8) }
        }
    }

    /// The bytes of the character that begins at an index, by the table of the Unicode Standard (3-7); 0 when none does.
    private static func length(ofCharacterAt index: Int, in raw: [UInt8]) -> Int {
        let first = raw[index]
        let second: ClosedRange<UInt8>
        let length: Int
        switch first {
        case 0x00...0x7f: return 1
        case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
        case 0xe0: (length, second) = (3, 0xa0...0xbf)
        case 0xed: (length, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
        case 0xf0: (length, second) = (4, 0x90...0xbf)
        case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
        case 0xf4: (length, second) = (4, 0x80...0x8f)
        default: return 0
        }
        guard index + length <= raw.count, second.contains(raw[index + 1]),
            raw[(index + 2)..<(index + length)].allSatisfy({ (0x80...0xbf).contains($0) })
        else { return 0 }
        return length
    }
}

/// The characters of windows-1252 for the bytes from 0x80 on.
///
/// - Confinement: any
enum WesternCharacter {
    private static let characters = Array((CodePage.upperHalf(of: "windows-1252") ?? "").unicodeScalars)

    /// U+FFFD for the five bytes that have no character, and for bytes of ASCII.
    static func of(_ byte: UInt8) -> String { byte < 0x80 ? "\u{fffd}" : String(characters[Int(byte) - 0x80]) }
}
