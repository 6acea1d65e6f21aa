import GRDB
import Session

/// The tables of a device's store. Rows are JSON; the columns of keys and orders stand beside them.
enum StoreSchema {
    /// A store of a later version is not opened.
    static let version = 1

    static let tables = """
        CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, row TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS chats (chat TEXT PRIMARY KEY, place INTEGER NOT NULL, row TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS chats_place ON chats (place);
        CREATE TABLE IF NOT EXISTS messages (
          chat TEXT NOT NULL, n INTEGER NOT NULL, row TEXT NOT NULL, PRIMARY KEY (chat, n)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY, place INTEGER NOT NULL, row TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS inbox_place ON inbox (place);
        CREATE TABLE IF NOT EXISTS documents (path TEXT PRIMARY KEY, collection TEXT NOT NULL, row TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS documents_collection ON documents (collection, path);
        CREATE TABLE IF NOT EXISTS watches (path TEXT PRIMARY KEY, row TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS topics (topic TEXT PRIMARY KEY, row TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS outbox (
          place INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, row TEXT NOT NULL);
        """

    /// The last changes, for other processes. Each transaction notes its own; a process without this table notes none, and then
    /// the others read all.
    static let changes = """
        CREATE TABLE IF NOT EXISTS changed (number INTEGER PRIMARY KEY, writer INTEGER NOT NULL, names TEXT NOT NULL)
        """
    /// The number of transactions that it goes back.
    static let changesMax = 1000

    /// The columns of a table before `row`, in the order in which a statement binds them.
    static func columns(of table: StoreTable) -> [String] {
        switch table {
        case .chats: ["chat", "place"]
        case .inbox: ["id", "place"]
        case .messages: ["chat", "n"]
        case .documents: ["path", "collection"]
        case .meta, .watches, .topics, .outbox: [table.keyColumn]
        }
    }
}
