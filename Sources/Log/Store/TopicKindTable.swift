package import Log

/// Kinds of topics that a folder held when the plurals of English became known: the names of their collections must not
/// change with the version.
///
/// - Confinement: store
package struct TopicKindTable: StoredTable {
    package let access: ReadAccess

    /// Notes the kinds of all topics that were followed or published to, and of those in the rows of the trigger table.
    static let migration = """
        INSERT INTO meta(name, value) SELECT 'kinds_before', coalesce(group_concat(kind, ' '), '') FROM (
            SELECT DISTINCT substr(name, 1, instr(name, ':') - 1) AS kind FROM streams WHERE instr(name, ':') > 1
            UNION SELECT substr(audience, 11, instr(substr(audience, 11), ':') - 1)
            FROM (SELECT json_extract(row, '$.audience') AS audience FROM triggers WHERE json_valid(row))
            WHERE audience GLOB 'followers:?*:*');
        """

    /// These kinds; none in a folder that was made since.
    package func before() throws -> [String] {
        try (access.meta(.kindsBefore) ?? "").split(separator: " ").map(String.init)
    }
}
