/// The form of a time zone's name in the IANA database: `Europe/Rome`, `America/Port-au-Prince`, `Etc/GMT+5`.
///
/// Foundation reads a name as a C string, which ends at a zero byte. So it would accept `Europe/Rome` with a zero byte
/// and anything after it: the form must be checked before Foundation is asked.
/// - Confinement: any
package enum TimeZoneName {
    private static let bytesMax = 64

    /// Whether a text can be the name of a zone with a region. Abbreviations and offsets are refused, since they have
    /// no summer time.
    package static func isWellFormed(_ name: String) -> Bool {
        name.utf8.count <= bytesMax && name.utf8.contains(UInt8(ascii: "/"))
            && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/_+-".utf8.contains($0) }
    }
}
