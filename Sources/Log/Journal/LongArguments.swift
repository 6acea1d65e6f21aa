/// Where long texts and blobs of an entry stand, so that each is written once: an event is an argument of the log's
/// statement and the payload of a step, an answer is an argument and a reply.
///
/// A place for each key: a second text with the same key takes the place of the first, which is then not found. That
/// costs bytes and nothing else.
///
/// - Confinement: any
struct LongArguments: Sendable {
    /// Shorter ones are written again: a reference takes two to six bytes, and looking it up some time.
    static let bytesMin = 24
    private static let placesMax = 2048

    private struct Place: Sendable {
        var round: UInt64 = 0
        var key: UInt64 = 0
        var range = 0..<0
        var code: UInt8 = 0
        var reference = ArgumentReference(statement: 0, argument: 0)
    }

    private var places: [Place] = Array(repeating: Place(), count: placesMax)
    /// Places of other rounds are free.
    private var round: UInt64 = 1

    /// Forgets all of them.
    mutating func forget() { round += 1 }

    /// Where `sought` of `other` stands among the arguments in `bytes`; nil when it is not known.
    func find(
        _ code: UInt8, _ sought: Range<Int>, of other: [UInt8], in bytes: [UInt8]
    ) -> ArgumentReference? {
        let key = Self.key(other, sought)
        let place = places[Int(key % UInt64(Self.placesMax))]
        guard place.round == round, place.key == key, place.code == code, place.range.count == sought.count,
            bytes[place.range] == other[sought]
        else { return nil }
        return place.reference
    }

    /// Notes where one stands.
    mutating func note(_ code: UInt8, _ range: Range<Int>, of bytes: [UInt8], as reference: ArgumentReference) {
        let key = Self.key(bytes, range)
        places[Int(key % UInt64(Self.placesMax))] = Place(
            round: round, key: key, range: range, code: code, reference: reference)
    }

    /// A number of the length and of some of the bytes: events differ at their ends and in their numbers.
    private static func key(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
        let bytes = bytes.span
        var key = UInt64(range.count) &* 0x9E37_79B9_7F4A_7C15
        for place in range.prefix(16) { key = (key ^ UInt64(bytes[place])) &* 0x100_0000_01B3 }
        for place in range.suffix(8) { key = (key ^ UInt64(bytes[place])) &* 0x100_0000_01B3 }
        for place in stride(from: range.lowerBound + 16, to: range.upperBound - 8, by: max(1, range.count / 16)) {
            key = (key ^ UInt64(bytes[place])) &* 0x100_0000_01B3
        }
        return key ^ key >> 29
    }
}
