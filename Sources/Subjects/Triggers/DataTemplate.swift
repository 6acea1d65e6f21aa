import JSON

/// The `data` column: JSON whose texts are templates. Member names and all other values stay as they are. The column is
/// for programs, so numbers and dates are not written in the way of any language, and a text that is a single tag is
/// replaced by the list or object that it names.
indirect enum DataTemplate: Sendable {
    case text(TextTemplate)
    case whole([String], TextTemplate)
    case array([DataTemplate])
    case object([(name: String, value: DataTemplate)])
    case constant(JSONValue)

    /// - Throws: ``TriggerProblem`` naming the member.
    init(_ value: JSONValue, field: String, roots: Set<String>) throws(TriggerProblem) {
        switch value {
        case .string(let text) where text.contains("{{"):
            do {
                let template = try TextTemplate(text, roots: roots, forms: .plain)
                self = Self.onlyTag(of: text).map { .whole($0, template) } ?? .text(template)
            } catch {
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
        case .whole(let names, let template):
            Self.structure(names, context) ?? .string(template.render(context.values, budget: context.budget))
        case .array(let elements): .array(elements.map { $0.render(context) })
        case .object(let members):
            .object(JSONObject(distinct: members.map { (name: $0.name, value: $0.value.render(context)) }))
        case .constant(let value): value
        }
    }

    /// The names of the variable when the whole text is one tag; else nil.
    private static func onlyTag(of text: String) -> [String]? {
        guard text.hasPrefix("{{"), text.hasSuffix("}}") else { return nil }
        let names = text.dropFirst(2).dropLast(2).filter { !$0.isWhitespace }.split(
            separator: ".", omittingEmptySubsequences: false)
        let isVariable = names.allSatisfy { name in
            !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
        }
        return isVariable ? names.map(String.init) : nil
    }

    /// The list or object of that name; nil when it is neither, or larger than the rest of the budget.
    private static func structure(_ names: [String], _ context: TemplateContext) -> JSONValue? {
        var value = JSONValue.object(context.values)
        for name in names {
            guard case .object(let object) = value, context.budget.walk(object.count), let member = object[name] else {
                return nil
            }
            value = member
        }
        switch value {
        case .array, .object: return context.budget.take(bytes: value.text.utf8.count) ? value : nil
        case .null, .bool, .integer, .number, .string: return nil
        }
    }
}
