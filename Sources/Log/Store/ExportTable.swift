package import Model

/// The rows that are kept about one user, as lines of an export.
///
/// SQLite makes the JSON itself. Kinds that commands show, too (messages, chats, notifications), come from the use cases of
/// these commands.
///
/// - Confinement: any
package enum ExportedRows: Sendable, CaseIterable {
    case profile, device, session, follow, followed, block, restriction, document, writtenDocument, report, reportOf,
        key, archived

    /// Members without a value are left out.
    private static func line(_ kind: String, _ members: String) -> String {
        "json_patch('{}', json_object('kind', '\(kind)', \(members)))"
    }

    private static func time(_ column: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%fZ', \(column) / 1000.0, 'unixepoch')"
    }

    /// Gives the place of each row, and its line, in the order of places. ?1 is the user's number, ?2 the user's name, ?3 the
    /// place of the last row.
    ///
    /// - Parameter omitsOthers: whether what others wrote is left out.
    fileprivate func sql(omitsOthers: Bool) -> String {
        switch self {
        case .profile: Self.profileSQL
        case .device: Self.deviceSQL
        case .session: Self.sessionSQL
        case .follow: Self.followSQL
        case .followed: Self.followedSQL
        case .block: Self.blockSQL
        case .restriction: Self.restrictionSQL
        case .document: Self.documentSQL
        case .writtenDocument: Self.writtenDocumentSQL
        case .report: Self.reportSQL(omitsOthers: omitsOthers)
        case .reportOf: Self.reportOfSQL
        case .key: Self.keySQL
        case .archived: Self.archivedSQL
        }
    }

    private static let profileSQL = """
        SELECT '1', \(line("profile", """
            'user', name, 'since', since, 'language', language, 'deviceLanguage', device_language, 'zone', zone,
            'acknowledged', acknowledged, 'seenUpTo', seen_up_to,
            'limits', (SELECT json(limits) FROM person_limits WHERE user = users.id)
            """)) FROM users WHERE id = ?1 AND name = ?2 AND ?3 = ''
        """

    private static let deviceSQL = """
        SELECT device, \(line("device", """
            'device', device, 'platform', platform, 'target', target, 'environment', environment, 'privacy', privacy,
            'open', open, 'language', language, 'registered', \(time("registered")), 'used', \(time("used"))
            """)) FROM push_devices WHERE user = ?1 AND device > ?3 AND ?2 <> '' ORDER BY device
        """

    private static let sessionSQL = """
        SELECT place, line FROM (
        SELECT 'd' || device AS place, \(line("session", """
            'device', device, 'token', token_id, 'issued', \(time("token_issued"))
            """)) AS line FROM push_devices WHERE user = ?1 AND token_id IS NOT NULL
        UNION ALL SELECT 'r', \(line("session", """
            'revokedUpTo', \(time("issued_up_to")), 'at', \(time("at")), 'until', \(time("until")), 'reason', reason
            """)) FROM revocations WHERE user = ?2
        ) WHERE place > ?3 ORDER BY place
        """

    private static let followSQL = """
        SELECT streams.name, \(line("follow", "'topic', streams.name, 'since', follows.since"))
        FROM follows JOIN streams ON streams.id = follows.stream
        WHERE follows.follower = ?1 AND streams.name > ?3 AND ?2 <> '' ORDER BY streams.name
        """

    private static let followedSQL = """
        SELECT users.name, \(line("followed", "'by', users.name, 'since', follows.since"))
        FROM follows JOIN users ON users.id = follows.follower
        WHERE follows.stream = (SELECT id FROM streams WHERE name = 'user:' || ?2) AND users.name > ?3 AND ?1 > 0
        ORDER BY users.name
        """

    private static let blockSQL = """
        SELECT users.name, \(line("block", "'user', users.name, 'at', \(time("blocks.at"))"))
        FROM blocks JOIN users ON users.id = blocks.other
        WHERE blocks.user = ?1 AND users.name > ?3 AND ?2 <> '' ORDER BY users.name
        """

    private static let restrictionSQL = """
        SELECT kind, \(line("restriction", """
            'restriction', kind, 'until', \(time("until")), 'at', \(time("at")), 'reason', reason
            """)) FROM restrictions WHERE user = ?1 AND kind > ?3 AND ?2 <> '' ORDER BY kind
        """

    private static let documentSQL = """
        SELECT path, json_object('kind', 'document', 'path', path, 'version', version, 'data', json(body))
        FROM documents WHERE path >= 'users/' || ?2 AND path < 'users/' || ?2 || '0' AND path > ?3
        AND (path = 'users/' || ?2 OR path > 'users/' || ?2 || '/') AND body IS NOT NULL AND ?1 > 0 ORDER BY path
        """

    /// As the user wrote them: somebody else may have written there since, what the user may not read.
    private static let writtenDocumentSQL = """
        SELECT own.path, json_object('kind', 'document', 'path', own.path, 'version', version - (SELECT count(*)
        FROM document_versions v WHERE v.path = own.path AND v.seq > own.seq), 'data', json(iif(next.seq IS NULL, body, before)))
        FROM (SELECT path, max(seq) AS seq FROM document_versions WHERE by = 'user ' || ?2 AND path > ?3 GROUP BY path) own
        JOIN documents ON documents.path = own.path LEFT JOIN document_versions next ON next.seq =
        (SELECT min(v.seq) FROM document_versions v WHERE v.path = own.path AND v.seq > own.seq)
        WHERE body IS NOT NULL AND ?1 > 0 AND (next.seq IS NULL OR before IS NOT NULL) AND NOT (own.path = 'users/' || ?2
        OR own.path > 'users/' || ?2 || '/' AND own.path < 'users/' || ?2 || '0') ORDER BY own.path
        """

    private static func reportSQL(omitsOthers: Bool) -> String {
        """
        SELECT printf('%019d', reports.id), \(line("report", """
            'report', 'r' || reports.id, 'at', \(time("reports.at")), 'user', users.name, 'chat', chat, 'n', n,
            'category', category, 'reason', reason, 'state', iif(decided IS NULL, 'open', 'decided'), 'action', action,
            'messages', \(omitsOthers ? "NULL" : reportedSQL)
            """)) FROM reports JOIN users ON users.id = reports.user
        WHERE reporter = ?1 AND reports.id > CAST(?3 AS INTEGER) AND ?2 <> '' ORDER BY reports.id
        """
    }

    /// The copy for moderators, without earlier texts, and of others without texts: these may have been taken back since.
    private static let reportedSQL = """
        iif(copy IS NULL, NULL, (SELECT json(json_group_array(json(iif(value ->> 'from' = ?2, json_remove(value, '$.past'),
        json_remove(value, '$.past', '$.text', '$.product'))))) FROM json_each(copy)))
        """

    private static let reportOfSQL = """
        SELECT printf('%019d', id), \(line("report", """
            'report', 'r' || id, 'at', \(time("at")), 'user', ?2, 'chat', chat, 'n', n, 'category', category,
            'state', iif(decided IS NULL, 'open', 'decided'), 'action', action, 'until', \(time("until")),
            'statement', statement
            """)) FROM reports WHERE user = ?1 AND id > CAST(?3 AS INTEGER) ORDER BY id
        """

    private static let keySQL = """
        SELECT key, json_object('kind', 'key', 'key', key, 'at', \(time("at")), 'reply', json(reply))
        FROM keys WHERE user = ?1 AND key > ?3 AND ?2 <> '' ORDER BY key
        """

    /// The lists of notifications leave these out. The words are the sender's, and are not kept for this person.
    private static let archivedSQL = """
        SELECT printf('%019d', archived.seq), \(line("archived", """
            'notification', 'n' || archived.seq, 'topic', n.topic, 'seq', removal
            """)) FROM archived LEFT JOIN notifications n ON n.seq = archived.seq
        WHERE user = ?1 AND archived.seq > CAST(?3 AS INTEGER) AND ?2 <> '' ORDER BY archived.seq
        """
}

/// The rows of an export besides those that commands read.
///
/// - Confinement: store
package struct ExportTable: StoredTable {
    let access: ReadAccess

    /// A page of rows, each a line of JSON.
    ///
    /// - Parameter last: the place of the last row of the page before; empty for the first page.
    /// - Returns: the lines, and the place of the last of them.
    package func page(
        of rows: ExportedRows, of user: StreamID, _ name: UserID, after last: String, omitsOthers: Bool, limit: Int
    ) throws -> (lines: [String], last: String) {
        let found: [(place: String, line: String)] = try access.all(
            rows.sql(omitsOthers: omitsOthers) + " LIMIT \(limit)", [user.value, name.text, last]
        ) { try ($0[0], $0[1]) }
        return (found.map(\.line), found.last?.place ?? last)
    }
}

extension Transaction {
    package var exported: ExportTable { ExportTable(access: access) }
}
