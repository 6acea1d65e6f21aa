import JSON

/// The `data` column: JSON whose texts are templates. Names and everything else stay as they are; it is for programs, so
/// its numbers and dates are written as in no language.
indirect enum DataTemplate: Sendable {
    case text(TextTemplate)
    case array([DataTemplate])
    case object([(name: String, value: DataTemplate)])
    case constant(JSONValue)

    /// - Throws: ``TriggerProblem`` naming the member.
    init(_ value: JSONValue, field: String, roots: Set<String>) throws(TriggerProblem) {
        switch value {
        case .string(let text) where text.contains("{{"):
            do { self = .text(try TextTemplate(text, roots: roots, forms: .plain)) } catch {
                throw TriggerProblem(field, error)
            }
        case .array(let elements):
            var templates: [DataTemplate] = []
            for (index, element) in elements.enumerated() {
                templates.append(try DataTemplate(element, field: "\(field)[\(index)]", roots: roots))
            }
            self = .array(templates)
        case .object(let object):
            var members: [(name: String, value: DataTemplate)] = []
            for (name, member) in object.members {
                members.append((name, try DataTemplate(member, field: "\(field).\(name)", roots: roots)))
            }
            self = .object(members)
        case .string, .null, .bool, .integer, .number: self = .constant(value)
        }
    }

    /// The JSON for one change.
    func render(_ context: TemplateContext) -> JSONValue {
        switch self {
        case .text(let template): .string(template.render(context.values, budget: context.budget))
        case .array(let elements): .array(elements.map { $0.render(context) })
        case .object(let members):
            .object(JSONObject(distinct: members.map { (name: $0.name, value: $0.value.render(context)) }))
        case .constant(let value): value
        }
    }
}
