package import Log
package import Model

/// A feed as it was put.
///
/// - Confinement: any
package struct FeedEntry: Sendable {
    package let name: String
    /// The description, as the JSON of an object, without the key.
    package let row: String
    /// The key that the source wants to see; never shown.
    package let key: String?

    package init(name: String, row: String, key: String?) {
        self.name = name
        self.row = row
        self.key = key
    }
}

/// How far a feed is with one thing that it asks for.
///
/// - Confinement: any
package struct FeedProgress: Sendable, Hashable {
    /// The thing's own name, such as `person/525`.
    package let target: String
    package let entityTag: String?
    package let lastModified: String?
    /// When its newest answer came.
    package let checked: Timestamp

    package init(target: String, entityTag: String?, lastModified: String?, checked: Timestamp) {
        self.target = target
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.checked = checked
    }
}

/// The feeds that were put at run time, and how far each feed is with each thing that it asks for.
///
/// - Confinement: store
package struct FeedTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// Every feed, in the order of names.
    package func all() throws -> [FeedEntry] {
        try access.all("SELECT name, row, key FROM feeds ORDER BY name", []) { row in
            try FeedEntry(name: row[0], row: row[1], key: row.optional(2))
        }
    }

    /// The feed of a name; nil when none was put.
    package func find(_ name: String) throws -> FeedEntry? {
        try access.first("SELECT name, row, key FROM feeds WHERE name = ?", [name]) { row in
            try FeedEntry(name: row[0], row: row[1], key: row.optional(2))
        }
    }

    /// How far a feed is, with everything.
    package func progress(of feed: String) throws -> [FeedProgress] {
        try access.all("SELECT target, etag, modified, checked FROM feed_state WHERE feed = ?", [feed]) { row in
            try FeedProgress(
                target: row[0], entityTag: row.optional(1), lastModified: row.optional(2),
                checked: row[3])
        }
    }

    /// The numbers of a kind whose topics somebody follows, those that most follow first, then the oldest.
    ///
    /// Anybody may follow anything: only a number of 1 to 10 digits (of a series also after `tv/`) takes a place.
    package func followed(kind: String, limit: Int) throws -> [String] {
        // The semicolon is the character after the colon.
        try access.all(
            """
            SELECT topic FROM (
                SELECT id, followers, topic, CASE WHEN ? AND topic GLOB 'tv/*' THEN substr(topic, 4) ELSE topic END AS number
                FROM (SELECT id, followers, substr(name, ?) AS topic FROM streams
                    WHERE name >= ? AND name < ? AND followers > 0))
            WHERE number GLOB '[1-9]*' AND number NOT GLOB '*[^0-9]*' AND length(number) <= 10
            ORDER BY followers DESC, id LIMIT ?
            """,
            [kind == "series", kind.utf8.count + 2, kind + ":", kind + ";", limit]
        ) { try $0[0] }
    }
}

extension FeedTable where Access == WriteAccess {
    /// Writes a feed, new or over the old one, at the position of the change.
    package func put(_ row: FeedEntry, at position: Position) throws {
        try access.run(
            """
            INSERT INTO feeds(name, row, key, seq) VALUES (?, ?, ?, ?)
            ON CONFLICT(name) DO UPDATE SET row = excluded.row, key = excluded.key, seq = excluded.seq
            """,
            [row.name, row.row, row.key, position.value]
        )
    }

    /// False when there is no such feed.
    package func delete(_ name: String) throws -> Bool {
        try access.change("DELETE FROM feeds WHERE name = ?", [name]) > 0
    }

    /// Remembers how far a feed is with something.
    package func put(_ progress: FeedProgress, of feed: String) throws {
        try access.run(
            """
            INSERT INTO feed_state(feed, target, etag, modified, checked) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT(feed, target) DO UPDATE
            SET etag = excluded.etag, modified = excluded.modified, checked = excluded.checked
            """,
            [feed, progress.target, progress.entityTag, progress.lastModified, progress.checked.milliseconds]
        )
    }

    /// Forgets how far a feed is: with one thing, or with all.
    package func forget(_ target: String? = nil, of feed: String) throws {
        if let target {
            try access.run("DELETE FROM feed_state WHERE feed = ? AND target = ?", [feed, target])
        } else {
            try access.run("DELETE FROM feed_state WHERE feed = ?", [feed])
        }
    }
}
