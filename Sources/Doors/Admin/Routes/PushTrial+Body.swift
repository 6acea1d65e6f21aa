import ClientProtocol
import JSON
import Model
import ThreadMessages
import Triggers

extension PushTrial {
    /// The body of `POST /v1/push/test`.
    ///
    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject) throws(Refusal) {
        try body.allow(["user", "title", "body", "level"])
        guard let user = body["user"]?.stringValue.flatMap(UserID.init(admitted:)) else {
            throw Refusal.badRequest(field: "user", "must be \(UserID.form)")
        }
        guard let title = try Self.text(body, "title", max: Limits.titleCharactersMax) else {
            throw Refusal.badRequest(field: "title", "is required")
        }
        let text = try Self.text(body, "body", max: Limits.bodyCharactersMax)
        let line = TextCut.line(title, charactersMax: Limits.titleCharactersMax)
        self.init(user: user, title: line, body: text ?? "", level: try Self.level(body))
    }

    private static func text(_ body: JSONObject, _ field: String, max: Int) throws(Refusal) -> String? {
        guard let value = body[field], !value.isNull else { return nil }
        guard let text = value.stringValue, (1...max).contains(text.unicodeScalars.count) else {
            throw Refusal.badRequest(field: field, "must be a text of 1 to \(max) characters")
        }
        guard ShownText.isVisible(text) else { throw Refusal.badRequest(field: field, ShownText.rule) }
        return text
    }

    private static func level(_ body: JSONObject) throws(Refusal) -> InterruptionLevel {
        guard let value = body["level"], !value.isNull else { return .active }
        let pushed = InterruptionLevel.allCases.filter { $0 >= .active }
        guard let level = value.stringValue.flatMap(InterruptionLevel.init(rawValue:)), pushed.contains(level) else {
            let known = pushed.map(\.rawValue).joined(separator: ", ")
            throw Refusal.badRequest(field: "level", "must be one of \(known): only these are pushed")
        }
        return level
    }
}
