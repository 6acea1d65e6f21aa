package import ClientProtocol
package import JSON
import Model
import Store

/// `preferences`: how the user wants to be served. So far the language; the whole object is always returned.
///
/// - Confinement: any
package struct ChangePreferences: WriteUseCase {
    private let locale: Change

    private enum Change: Sendable {
        case unchanged
        case to(LanguageTag?)
    }

    /// Checks the object that is to be set.
    ///
    /// - Throws: `Refusal` naming `set.FIELD` for an unknown preference or a value not of its form.
    package init(_ set: JSONObject) throws(Refusal) {
        var locale = Change.unchanged
        for (name, value) in set.members {
            guard name == "locale" else {
                throw Refusal.badRequest(field: "set.\(name)", "is no preference; known are: locale")
            }
            switch value {
            case .null: locale = .to(nil)
            case .string(let text):
                guard let tag = LanguageTag(text) else {
                    throw Refusal.badRequest(field: "set.locale", "must be \(LanguageTag.form), or null")
                }
                locale = .to(tag)
            case .bool, .integer, .number, .array, .object:
                throw Refusal.badRequest(field: "set.locale", "must be \(LanguageTag.form), or null")
            }
        }
        self.locale = locale
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let id = try context.user().id
        let transaction = context.transaction
        guard let user = try transaction.users.find(id) else { throw StoredValueProblem(place: "users.id") }
        var language = user.language
        if case .to(let wanted) = locale, wanted != user.language {
            language = wanted
            try transaction.users.setLanguage(wanted, of: id)
            let event = Event.preferences(
                seq: transaction.nextPosition,
                encoded: JSONValue.object(PreferencesObject(locale: wanted).json).bytes
            )
            try transaction.append(event, to: id)
            transaction.note(.language(user: id, language: wanted))
        }
        PreferencesObject(locale: language).write(to: &reply)
    }
}

/// `preferences` without `set`.
///
/// - Confinement: any
package struct ReadPreferences: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        PreferencesObject(locale: try context.user().language).write(to: &reply)
    }
}

/// The whole object, as replies and events bear it.
struct PreferencesObject {
    let locale: LanguageTag?

    var json: JSONObject { ["locale": locale.map { .string($0.text) } ?? .null] }

    func write(to writer: inout JSONWriter) {
        for (name, value) in json.members { writer.member(name, value) }
    }
}
