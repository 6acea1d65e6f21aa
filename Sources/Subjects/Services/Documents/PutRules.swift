package import ClientProtocol
package import Execution
package import JSON
package import Model
package import Store

/// `PUT /v1/rules`: the whole table of access rules, in place of the one before.
///
/// Watches that the new table does not allow end with the commit.
///
/// - Confinement: any
package struct PutRules: WriteUseCase {
    let rules: AccessRules
    let ifVersion: Int64?
    package let key: WriteKey?

    /// - Parameters:
    ///   - body: `{"rules": {PATTERN: …}}`.
    ///   - ifVersion: the version of the table that the writer knows; 0 for the configured one.
    /// - Throws: `Refusal` naming the pattern.
    package init(_ body: JSONObject, ifVersion: Int64?, key: WriteKey?) throws(Refusal) {
        for (name, _) in body.members where name != "rules" {
            throw Refusal.badRequest(field: name, "is not known; known is: rules")
        }
        guard let table = body["rules"]?.objectValue else {
            throw Refusal.badRequest(
                field: "rules",
                "must be an object of patterns, such as {\"stations/{id}\": \"public\"}"
            )
        }
        do {
            rules = try AccessRules(table)
        } catch {
            throw Refusal.badRequest(field: "rules" + (error.field.map { ".\($0)" } ?? ""), error.message)
        }
        self.ifVersion = ifVersion
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("rules")
        fingerprint.add(JSONValue.object(rules.json).text)
        fingerprint.add(ifVersion)
    }

    package func perform(in context: WriteContext) throws -> AnswerWithFact {
        let version = try context.rules.table(in: context.transaction.reading).version
        if let ifVersion, ifVersion != version {
            throw Refusal(.conflict, "the rules are at version \(version)", field: "ifVersion")
        }
        let position = try context.transaction.appendSilently()
        let json = JSONValue.object(rules.json)
        let stored: JSONValue = ["version": .integer(version + 1), "seq": .integer(position.value), "rules": json]
        try context.transaction.accessRules.put(stored.text)
        context.transaction.note(.accessRules(json.text))
        return AnswerWithFact(
            ["version": .integer(version + 1), "seq": .integer(position.value)], .version(version + 1))
    }

    package func answer(repeating kept: KeptReply, in transaction: WriteTransaction) -> EncodedAnswer {
        EncodedAnswer(kept.json, kept.place.map { .version($0.version) } ?? .none)
    }
}
