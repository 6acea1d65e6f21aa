/// A table for people: the first column is aligned left, the others right.
struct TextTable {
    private var rows: [[String]] = []

    /// Adds a row.
    mutating func add(_ cells: String...) {
        rows.append(cells)
    }

    /// Adds a row.
    mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    /// The lines, without a line end after the last one.
    var text: String {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
                return column == 0 ? cell + padding : padding + cell
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

extension FixedWidthInteger {
    /// With a comma after each group of three digits: `23,952`.
    var grouped: String {
        var digits = String(magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.append(String(digits.suffix(3)))
            digits.removeLast(3)
        }
        groups.append(digits)
        return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}
