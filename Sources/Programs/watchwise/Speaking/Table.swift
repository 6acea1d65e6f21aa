import Console
import JSON

/// Rows in columns, for people.
struct Table {
    /// The alignment of a column.
    enum Alignment { case left, right }

    /// A column of entries of an answer.
    struct Column {
        let head: String
        let alignment: Alignment
        /// The text of an entry in this column.
        let cell: (JSONValue) -> String

        static func left(_ head: String, _ cell: @escaping (JSONValue) -> String) -> Column {
            Column(head: head, alignment: .left, cell: cell)
        }

        static func right(_ head: String, _ cell: @escaping (JSONValue) -> String) -> Column {
            Column(head: head, alignment: .right, cell: cell)
        }

        /// A member, by default the one that is called like the column.
        ///
        /// - Parameter limit: the characters that a terminal shows; nil for all.
        static func left(_ head: String, _ member: String? = nil, cutTo limit: Int? = nil) -> Column {
            left(head) { entry in
                let text = entry.shown(member ?? head.lowercased())
                return limit.map { Terminal.isShown ? text.cut(to: $0) : text } ?? text
            }
        }

        /// The same, aligned to the right.
        static func right(_ head: String, _ member: String? = nil) -> Column {
            right(head) { $0.shown(member ?? head.lowercased()) }
        }
    }

    /// Entries of an answer, one in a row.
    init(of entries: [JSONValue], _ columns: [Column]) {
        self.init(columns.map { ($0.head, $0.alignment) })
        rows = entries.map { entry in columns.map { $0.cell(entry) } }
    }

    private let heads: [String]
    private let alignments: [Alignment]
    private var rows: [[String]] = []

    /// - Parameter columns: Names with their alignment; without names the table has no head.
    init(_ columns: (String, Alignment)...) { self.init(columns) }

    private init(_ columns: [(String, Alignment)]) {
        heads = columns.map(\.0)
        alignments = columns.map(\.1)
    }

    /// Adds a row with one cell for each column.
    mutating func add(_ cells: String...) { rows.append(cells) }

    /// The lines, with two blanks between the columns; the last column is not padded.
    var lines: [String] {
        let all = (heads.allSatisfy(\.isEmpty) ? [] : [heads]) + rows
        let widths = heads.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        return all.map { cells in
            let padded = cells.indices.map { column -> String in
                let blanks = String(repeating: " ", count: max(0, widths[column] - cells[column].columns))
                if alignments[column] == .right { return blanks + cells[column] }
                return column == cells.count - 1 ? cells[column] : cells[column] + blanks
            }
            let line = padded.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Writes it to standard output.
    func show() {
        Terminal.line(lines.joined(separator: "\n"))
    }
}
