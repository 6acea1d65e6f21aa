package import Log
package import Model
import Store

/// Rows of one table that are kept about one user, as lines of an export.
///
/// SQLite makes the JSON itself. Kinds that commands show, too (messages, chats, notifications), come from the use cases of
/// these commands.
///
/// - Confinement: any
package struct ExportedLines: Sendable {
    /// The member `kind` of each line.
    package let kind: String
    private let sql: String
    private let sqlWithoutOthers: String

    /// - Parameters:
    ///   - place: an expression that is another text for each row; the lines come in the order of these.
    ///   - members: the members of a line with their expressions, as for `json_object`. ?1 is the user's number, ?2 the user's
    ///     name, and ?3 the place of the last row before.
    ///   - others: the same without the words of others; nil where there are none.
    ///   - condition: whether a row is the user's.
    ///   - keepsNull: whether members without a value stay, also those of JSON in it.
    init(
        _ kind: String, place: String, _ members: String, withoutOthers others: String? = nil, from source: String,
        of condition: String, keepsNull: Bool = false
    ) {
        self.init(kind, members, others, keepsNull: keepsNull) { line in
            """
            SELECT \(place), \(line) FROM \(source) WHERE \(condition) AND \(place) > ?3 AND ?1 > 0 AND ?2 <> ''
            ORDER BY \(place)
            """
        }
    }

    /// The same for rows with numbers, in the order of these.
    init(
        _ kind: String, numbered number: String, _ members: String, withoutOthers others: String? = nil,
        from source: String, of condition: String
    ) {
        self.init(kind, members, others, keepsNull: false) { line in
            """
            SELECT printf('%019d', \(number)), \(line) FROM \(source)
            WHERE \(condition) AND \(number) > CAST(?3 AS INTEGER) AND ?1 > 0 AND ?2 <> '' ORDER BY \(number)
            """
        }
    }

    private init(
        _ kind: String, _ members: String, _ others: String?, keepsNull: Bool, _ query: (_ line: String) -> String
    ) {
        func line(_ members: String) -> String {
            let object = "json_object('kind', '\(kind)', \(members))"
            return keepsNull ? object : "json_patch('{}', \(object))"
        }
        self.kind = kind
        sql = query(line(members))
        sqlWithoutOthers = others.map { query(line($0)) } ?? sql
    }

    /// A column with milliseconds since 1970, as a time of the contract.
    static func time(_ column: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%fZ', \(column) / 1000.0, 'unixepoch')"
    }

    func query(omitsOthers: Bool) -> String { omitsOthers ? sqlWithoutOthers : sql }
}

/// The rows of an export besides those that commands read.
///
/// - Confinement: store
package struct ExportTable: StoredTable {
    package let access: ReadAccess

    /// A page of rows, each a line of JSON.
    ///
    /// - Parameter last: the place of the last row of the page before; empty for the first page.
    /// - Returns: the lines, and the place of the last of them.
    package func page(
        of lines: ExportedLines, of user: StreamID, _ name: UserID, after last: String, omitsOthers: Bool, limit: Int
    ) throws -> (lines: [String], last: String) {
        let found: [(place: String, line: String)] = try access.all(
            lines.query(omitsOthers: omitsOthers) + " LIMIT \(limit)", [user.value, name.text, last]
        ) { try ($0[0], $0[1]) }
        return (found.map(\.line), found.last?.place ?? last)
    }
}

extension Transaction {
    package var exported: ExportTable { ExportTable(access: access) }
}
