import JSON
package import Model

/// A full report about one trigger and one change, for a person who works on the row.
///
/// The outcome is that of ``TriggerEvaluation``. The other members are always there, also where the outcome does not
/// need them (the texts of a row whose condition is false).
///
/// - Confinement: any
package struct TriggerExplanation: Sendable {
    /// Why the row does not watch the change.
    package enum Mismatch: Sendable, Hashable {
        case path(PathMismatch)
        case event(watched: WatchedEvent, found: ChangeEvent)

        /// A sentence for people.
        package var message: String {
            switch self {
            case .path(let mismatch): mismatch.message
            case .event(let watched, let found):
                "the change is a \(found.rawValue), the trigger watches \(watched.rawValue)"
            }
        }
    }

    /// An expression and its result.
    package struct Expression: Sendable, Hashable {
        package let text: String
        /// Nil when it failed.
        package let value: SQLValue?
        /// Whether SQL treats the value as true.
        package let isTrue: Bool
        /// SQLite's message, when it failed.
        package let failure: String?
    }

    /// A template and its result.
    package struct Rendering: Sendable, Hashable {
        /// The column, with the language or member: `title.it`.
        package let field: String
        package let template: String
        /// The text as it is sent, cut to its length; nil when the templates cannot be rendered together.
        package let text: String?
        /// Fields that the template names and the change does not have.
        package let missing: [String]
    }

    /// Nil when the row watches the change.
    package let mismatch: Mismatch?
    /// The values of the names of the path, in their order.
    package let names: [(name: String, value: String)]
    /// Nil when the row has none, or does not watch the change.
    package var condition: Expression?
    package var at: Expression?
    package var renderings: [Rendering] = []
    /// The notification that is sent, or would be if the condition were true; nil when it cannot be made.
    package var wanted: NotificationWanted?
    package let outcome: TriggerOutcome
}

extension TriggerEvaluation {
    /// Evaluates a trigger for a change and reports every step.
    ///
    /// - Parameters:
    ///   - now: The time of the change.
    ///   - isArmed: False when the trigger has fired for the document and was not rearmed since.
    package static func explain(
        _ trigger: CompiledTrigger,
        change: DocumentChange,
        now: Timestamp,
        isArmed: Bool = true
    ) -> TriggerExplanation {
        let row = trigger.definition
        let outcome = evaluate(trigger, change: change, now: now, isArmed: isArmed)
        guard let values = row.path.match(change.path), row.event.includes(change.event) else {
            let path = row.path.mismatch(with: change.path).map(TriggerExplanation.Mismatch.path)
            let mismatch = path ?? .event(watched: row.event, found: change.event)
            return TriggerExplanation(mismatch: mismatch, names: [], outcome: outcome)
        }
        let names = Array(zip(row.path.names, values))
        let context = TemplateContext(
            change: change,
            names: Dictionary(names, uniquingKeysWith: { first, _ in first }),
            others: row.with.names,
            now: now
        )
        let run = { (expression: Condition) in
            TriggerExplanation.Expression(expression, expression.evaluate(change, names: values, now: now))
        }
        return TriggerExplanation(
            mismatch: nil,
            names: names.map { (name: $0, value: $1) },
            condition: trigger.condition.map(run),
            at: trigger.at.map(run),
            renderings: renderings(of: trigger, context),
            wanted: wantedAnyway(trigger, outcome, change, values, now: now),
            outcome: outcome
        )
    }

    /// The notification of the outcome; or the one that a true condition would have caused.
    private static func wantedAnyway(
        _ trigger: CompiledTrigger,
        _ outcome: TriggerOutcome,
        _ change: DocumentChange,
        _ values: [String],
        now: Timestamp
    ) -> NotificationWanted? {
        switch outcome {
        case .wanted(let wanted), .scheduled(_, let wanted): return wanted
        case .failed, .skipped:
            guard case .wanted(let wanted) = self.wanted(trigger, change, values, now: now, due: .init(at: now)) else {
                return nil
            }
            return wanted
        }
    }

    private static func renderings(
        of trigger: CompiledTrigger,
        _ context: TemplateContext
    ) -> [TriggerExplanation.Rendering] {
        let row = trigger.definition
        // When the notification as a whole cannot be made, its texts are shown as absent.
        let rendered = try? trigger.templates.render(context)
        let titles = row.title.texts(field: "title").map { ($0.field, $0.text, text(of: $0.field, rendered)?.title) }
        let bodies = row.body.texts(field: "body").map { ($0.field, $0.text, text(of: $0.field, rendered)?.body) }
        let collapse = row.collapse.map { [("collapse", $0, rendered.map { $0.collapse ?? "" })] } ?? []
        let members = texts(in: .object(row.data), field: "data")
        let values = rendered.map { texts(in: $0.data, field: "data") } ?? []
        let data = members.enumerated().map { index, member in
            (member.field, member.text, values.count == members.count ? values[index].text : nil)
        }
        return (titles + bodies + collapse + data).compactMap { field, template, text in
            guard template.contains("{{") else { return nil }
            return TriggerExplanation.Rendering(
                field: field,
                template: template,
                text: text,
                missing: MissingFields.of(template, in: context.values)
            )
        }
    }

    /// The texts of the language in a field's name: `title.it`, or `title` for all languages.
    private static func text(of field: String, _ rendered: NotificationTemplates.Rendered?) -> NotificationText? {
        let language = field.split(separator: ".", maxSplits: 1).dropFirst().first.flatMap { LanguageTag(String($0)) }
        return language.flatMap { rendered?.texts.byLanguage[$0] } ?? rendered?.texts.fallback
    }

    /// The texts inside a value, with their places.
    private static func texts(in value: JSONValue, field: String) -> [(field: String, text: String)] {
        switch value {
        case .string(let text): [(field, text)]
        case .array(let elements): elements.enumerated().flatMap { texts(in: $1, field: "\(field)[\($0)]") }
        case .object(let object): object.members.flatMap { texts(in: $0.value, field: "\(field).\($0.name)") }
        case .null, .bool, .integer, .number: []
        }
    }
}

extension TriggerExplanation.Expression {
    fileprivate init(_ expression: Condition, _ outcome: Condition.Outcome) {
        text = expression.text
        switch outcome {
        case .value(let value, let isTrue):
            self.value = value
            self.isTrue = isTrue
            failure = nil
        case .failure(let message):
            value = nil
            isTrue = false
            failure = message
        }
    }
}
