import JSON
package import Store

/// The access rules as a transaction sees them: the table that was put at run time, or the configured one if none was
/// put. Compiled again only when the stored text has changed.
///
/// - Confinement: store
package final class RulesInForce {
    private let configured: AccessRules
    private var compiled: (text: String, table: StoredRules)?

    /// - Parameter configured: in force until a table is put.
    package init(configured: AccessRules = AccessRules()) {
        self.configured = configured
    }

    /// A table with the version under which it was put.
    package struct StoredRules: Sendable {
        package let rules: AccessRules
        /// 0 for the configured table.
        package let version: Int64
    }

    /// The table in force.
    ///
    /// - Throws: `StoredValueProblem` when the database holds something that is no table.
    package func table(in transaction: Transaction) throws -> StoredRules {
        guard let text = try transaction.accessRules.find() else { return StoredRules(rules: configured, version: 0) }
        if let compiled, compiled.text == text { return compiled.table }
        let stored = try StoredJSON.object(text, place: "meta.rules")
        guard let version = stored["version"]?.integerValue, let json = stored["rules"]?.objectValue,
            let rules = try? AccessRules(json)
        else { throw StoredValueProblem(place: "meta.rules") }
        let table = StoredRules(rules: rules, version: version)
        compiled = (text, table)
        return table
    }
}

@available(*, unavailable)
extension RulesInForce: Sendable {}
