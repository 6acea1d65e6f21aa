package import Log

/// The table of access rules that was put at run time: one text, since it is always read and written whole.
///
/// - Confinement: store
package struct AccessRuleTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The table with its version as stored; nil when none was put.
    package func find() throws -> String? { try access.meta(.accessRules) }
}

extension AccessRuleTable where Access == WriteAccess {
    /// Stores a table over the one before.
    package func put(_ text: String) throws { try access.setMeta(.accessRules, text) }
}
