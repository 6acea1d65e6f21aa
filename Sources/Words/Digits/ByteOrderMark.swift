/// The three bytes that editors of Windows put in front of a text in UTF-8, and that are no part of it (RFC 8259, section 8.1).
/// - Confinement: any
package enum ByteOrderMark {
    private static let bytes: [UInt8] = [0xef, 0xbb, 0xbf]

    /// How many bytes of the mark stand at a place of a text, mostly in front of it: three or none.
    package static func length(in text: [UInt8], from place: Int = 0) -> Int {
        text[place...].starts(with: bytes) ? bytes.count : 0
    }

    /// The text after the mark.
    package static func skipped(in text: [UInt8]) -> [UInt8] {
        let length = length(in: text)
        return length == 0 ? text : Array(text.dropFirst(length))
    }
}
