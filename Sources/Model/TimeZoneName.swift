/// The form of a time zone's name in the IANA database: `Europe/Rome`, `America/Port-au-Prince`, `Etc/GMT+5`.
///
/// Foundation looks a name up as a C string and ends it at a zero byte, so that `Europe/Rome` with a zero byte and anything
/// after it is a zone once `Europe/Rome` was one: the form is checked before Foundation is asked.
/// - Confinement: any
package enum TimeZoneName {
    private static let bytesMax = 64

    /// Whether a text can be the name of a zone with a region; abbreviations and offsets, which know nothing of summer
    /// time, are not.
    package static func isWellFormed(_ name: String) -> Bool {
        name.utf8.count <= bytesMax && name.utf8.contains(UInt8(ascii: "/")) && name.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
            UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
