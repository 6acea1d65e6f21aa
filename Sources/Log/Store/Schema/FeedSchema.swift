/// Feeds put at run time; and for each thing that any feed asks for, how its source recognizes the version that is
/// here already. A thing without a row was never fetched.
///
/// - Confinement: any
enum FeedSchema {
    static let feeds = """
        CREATE TABLE feeds(
            name TEXT PRIMARY KEY,
            row TEXT NOT NULL,
            key TEXT,
            seq INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE feed_state(
            feed TEXT NOT NULL,
            target TEXT NOT NULL,
            etag TEXT,
            modified TEXT,
            checked INTEGER NOT NULL,
            PRIMARY KEY(feed, target)
        ) STRICT, WITHOUT ROWID;
        """
}
