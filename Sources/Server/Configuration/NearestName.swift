/// The name somebody may have meant.
///
/// - Confinement: any
package enum NearestName {
    /// The known name with the fewest letters changed, added, left out; nil when none is near.
    package static func of(_ name: String, among known: [String]) -> String? {
        let wanted = Array(name.lowercased().utf8)
        let ranked = known.map { (name: $0, distance: distance(wanted, Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, min(wanted.count, 9) / 3) ? best.name : nil
    }

    /// The edit distance (Levenshtein), row by row.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count < 64 else { return .max }
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let changed = diagonal + (byte == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
