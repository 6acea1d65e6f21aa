/// Finds the known name that the author of an unknown one may have meant.
///
/// - Confinement: any
package enum NearestName {
    /// The known name with the fewest letters changed, added or left out; nil when none is near.
    package static func of(_ name: String, among known: [String]) -> String? {
        let wanted = Array(name.lowercased().utf8)
        let ranked = known.map { (name: $0, distance: distance(wanted, Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, min(wanted.count, 9) / 3) ? best.name : nil
    }

    /// The number of letters that are changed, added, left out, or swapped with their neighbour (optimal string
    /// alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count < 64 else { return .max }
        var before: [Int] = []
        var last = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var row = [index + 1]
            for (column, other) in right.enumerated() {
                var least = min(last[column] + (byte == other ? 0 : 1), last[column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, byte == right[column - 1], other == left[index - 1] {
                    least = min(least, before[column - 1] + 1)
                }
                row.append(least)
            }
            (before, last) = (last, row)
        }
        return last[right.count]
    }
}
