import GRDB
import Log
package import Model
import Store

/// A message that may answer a question; its text says whether it does.
///
/// - Confinement: any
package struct SearchCandidate: Sendable {
    package let position: Position
    package let chat: Int64
    package let n: MessageNumber
}

/// The words that the index is asked for.
///
/// - Confinement: any
package struct SearchMatch: Sendable {
    let text: String

    /// - Parameters:
    ///   - chats: one of which a message must lie in; empty when the caller looks at that.
    ///   - words: folded ones, which it must have all; at least one if there are no chats.
    ///   - beginnings: of words.
    package init(chats: [Int64], words: [String], beginnings: [String]) {
        var parts: [String] = []
        if !chats.isEmpty {
            parts.append("(" + chats.map { Self.quoted(SearchEntry.token(ofChat: $0)) }.joined(separator: " OR ") + ")")
        }
        parts += words.map(Self.quoted) + beginnings.map { Self.quoted($0) + " *" }
        text = parts.joined(separator: " AND ")
    }

    /// A string of FTS5: nothing in it is an operator.
    private static func quoted(_ word: String) -> String { "\"" + word.replacing("\"", with: "") + "\"" }
}

/// A connection that reads the index of messages.
///
/// - Confinement: store (a reader's thread)
package final class SearchReader {
    /// The index cannot be read; the server's database is another file.
    ///
    /// - Confinement: any
    package struct Problem: Error {
        package let cause: any Error
    }

    private let file: SearchFile
    private var queue: DatabaseQueue?
    private var generation = 0

    package init(_ file: SearchFile) { self.file = file }

    /// Visits the candidates before a position, the newest first, until `visit` says that it has enough.
    ///
    /// - Parameter visit: returns whether to go on.
    /// - Returns: how far the index is; nil as long as there is none.
    /// - Throws: ``Problem``, or what `visit` throws.
    package func candidates(
        for match: SearchMatch, before position: Position, _ visit: (SearchCandidate) throws -> Bool
    ) throws -> SearchStanding? {
        var isVisiting = false
        do {
            return try connection().read { database in
                let access = ReadAccess(database: database)
                guard let standing = try SearchStanding.find(in: access) else { return nil }
                let statement = try database.cachedStatement(
                    sql: """
                        SELECT words.rowid, entries.chat, entries.n FROM words CROSS JOIN entries
                        ON entries.seq = words.rowid
                        WHERE words MATCH ? AND words.rowid < ? ORDER BY words.rowid DESC
                        """)
                let run = try StatementRun(statement, [match.text, position.value])
                defer { run.end() }
                while try run.step() {
                    let columns = run.columns
                    let candidate = try SearchCandidate(position: columns[0], chat: columns[1], n: columns[2])
                    isVisiting = true
                    guard try visit(candidate) else { break }
                    isVisiting = false
                }
                return standing
            }
        } catch {
            if isVisiting { throw error }
            try? queue?.close()
            queue = nil
            if StorageFault(error) == .unreadable { file.doubt() }
            throw Problem(cause: error)
        }
    }

    /// Opened at the first question, and again after a damaged file was exchanged.
    private func connection() throws -> DatabaseQueue {
        if let queue, generation == file.generation { return queue }
        try? queue?.close()
        generation = file.generation
        let opened = try file.openReader()
        queue = opened
        return opened
    }

    /// Closes the connection.
    package func close() throws { try queue?.close() }
}

@available(*, unavailable)
extension SearchReader: Sendable {}
