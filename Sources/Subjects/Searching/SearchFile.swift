internal import Foundation
import GRDB
package import Log
package import Model
import Store
import Synchronization

/// The file of the index of messages: a database beside the server's, which each node makes by itself.
///
/// It is no part of what nodes repeat, of backups and of digests: a node without it builds it again from the messages. So a
/// damaged one is removed, and `restore` and the arrival of another node's database remove it, too.
///
/// - Confinement: any
package final class SearchFile: Sendable {
    let path: String
    /// Counts the files, so that readers open the new one after a damaged one was removed.
    private let generations = Atomic<Int>(0)

    /// - Parameter directory: the folder of the server's database. Those who read and write the index there share one of these.
    package init(in directory: DataDirectory) { path = directory.searchPath }

    /// Whether a reader could make no sense of the file.
    private let isDoubted = Atomic<Bool>(false)

    /// Has the thread that writes make the file again.
    func doubt() { isDoubted.store(true, ordering: .relaxed) }

    /// Whether the file was doubted since the last call.
    func takeDoubt() -> Bool { isDoubted.exchange(false, ordering: .relaxed) }

    var generation: Int { generations.load(ordering: .acquiring) }

    /// Opens the connection that writes, and makes the file if there is none.
    func open() throws -> DatabaseQueue {
        try PrivateAccess.makeFile(path)
        var configuration = Configuration()
        configuration.label = "watchwise-search"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            // A power cut takes the last slices, which are indexed again.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // Words of deleted messages are overwritten where their pages become free.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            try database.execute(sql: "PRAGMA cache_size = -8192")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            // A log that grew while it was read shrinks when it begins again.
            try database.execute(sql: "PRAGMA journal_size_limit = 4194304")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: Self.tables) }
        return queue
    }

    /// Opens a connection that reads.
    func openReader() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "watchwise-search-reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -8192") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Removes the file, for another to be made.
    func remove() throws {
        try DatabaseFiles.remove(path)
        generations.add(1, ordering: .acquiringAndReleasing)
    }

    /// `words` has the words alone: neither their places, for the texts are looked at again when they are found, nor the
    /// lengths of texts. The tokenizer takes what is parted by spaces: the words are folded already.
    private static let tables = """
        CREATE TABLE IF NOT EXISTS standing(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            form INTEGER NOT NULL,
            epoch TEXT NOT NULL,
            followed INTEGER NOT NULL,
            chat INTEGER,
            n INTEGER,
            until INTEGER,
            removed INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS entries(
            seq INTEGER PRIMARY KEY,
            chat INTEGER NOT NULL,
            n INTEGER NOT NULL,
            rev INTEGER NOT NULL
        ) STRICT;
        CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
            text, content='', columnsize=0, detail=none, tokenize="ascii tokenchars '_'"
        );
        """
}

/// How far the index is.
///
/// - Confinement: any
package struct SearchStanding: Sendable, Equatable {
    /// The walk over the messages that were there when the index was begun.
    package struct Walk: Sendable, Equatable {
        /// The place of the last message that was indexed, in the order of chats and numbers.
        package var chat: Int64
        package var n: MessageNumber
        /// Messages after this position come by the log.
        package let until: Position

        package init(chat: Int64, n: MessageNumber, until: Position) {
            self.chat = chat
            self.n = n
            self.until = until
        }
    }

    /// The log is indexed up to here.
    package var followed: Position
    /// Nil when all older messages are indexed.
    package var walk: Walk?
    /// How many texts were taken out whose words may still lie in pages of the file.
    package var removed: Int64 = 0

    package init(followed: Position, walk: Walk?) {
        self.followed = followed
        self.walk = walk
    }
}

/// A text for the index, or one that was in it.
///
/// - Confinement: any
package struct SearchEntry: Sendable {
    package let position: Position
    package let chat: Int64
    package let n: MessageNumber
    package let revision: Int64
    /// The folded words, with spaces between.
    package let words: String

    package init(position: Position, chat: Int64, n: MessageNumber, revision: Int64, words: String) {
        self.position = position
        self.chat = chat
        self.n = n
        self.revision = revision
        self.words = words
    }

    /// The indexed words: those of the text, and the chat's. No folded word has this sign.
    var text: String { "\(Self.token(ofChat: chat)) \(words)" }

    static func token(ofChat chat: Int64) -> String { "_\(chat)" }
}
