import JSON
import Mustache

/// The types through which Mustache sees a JSON value. They render deterministically (an object has no order to show),
/// trap on nothing (the library's `plusone` of the greatest number would), and draw on a budget.
///
/// Null, false, an empty text and an empty list are false to a section.
enum TemplateValue {
    /// - Parameter cost: Bytes a list charges for each element: the length of the template, which is the most static
    ///   text one round can put out.
    static func of(_ value: JSONValue, budget: RenderBudget, cost: Int) -> Any {
        switch value {
        case .null: TemplateText(text: "", budget: budget)
        case .bool(let bool): bool
        case .integer(let number): TemplateNumber(value: number)
        case .number: TemplateText(text: value.text, budget: budget)
        case .string(let text): TemplateText(text: text, budget: budget)
        case .array(let elements): TemplateList(elements: elements, budget: budget, cost: cost)
        case .object(let object): TemplateObject(object: object, budget: budget, cost: cost)
        }
    }
}

/// A text, a fraction or null.
struct TemplateText: MustacheCustomRenderable, MustacheTransformable {
    let text: String
    let budget: RenderBudget

    var renderText: String { budget.take(bytes: text.utf8.count) ? text : "" }
    var isNull: Bool { text.isEmpty }

    func transform(_ name: String) -> Any? {
        switch text.transform(name) {
        case let result as String: TemplateText(text: result, budget: budget)
        case let result as Substring: TemplateText(text: String(result), budget: budget)
        case let result: result
        }
    }
}

/// A whole number.
struct TemplateNumber: MustacheCustomRenderable, MustacheTransformable {
    let value: Int64

    var renderText: String { String(value) }
    var isNull: Bool { false }

    func transform(_ name: String) -> Any? {
        switch name {
        case "equalzero": value == 0
        case "even": value & 1 == 0
        case "odd": value & 1 == 1
        case "plusone": TemplateNumber(value: value &+ 1)
        case "minusone": TemplateNumber(value: value &- 1)
        default: nil
        }
    }
}

/// An object; its text is nothing, its members are reached by name.
struct TemplateObject: MustacheParent, MustacheCustomRenderable {
    let object: JSONObject
    let budget: RenderBudget
    let cost: Int

    var renderText: String { "" }
    var isNull: Bool { false }

    func child(named name: String) -> Any? {
        guard budget.take(bytes: 0) else { return nil }
        return object[name].map { TemplateValue.of($0, budget: budget, cost: cost) }
    }
}

/// A list; its text is nothing, its elements come one by one as long as the budget lasts.
struct TemplateList: MustacheSequence, MustacheCustomRenderable, MustacheTransformable {
    let elements: [JSONValue]
    let budget: RenderBudget
    let cost: Int

    var renderText: String { "" }
    var isNull: Bool { elements.isEmpty }

    func makeIterator() -> AnyIterator<Any> {
        var remaining = elements[...]
        return AnyIterator {
            guard let element = remaining.popFirst(), budget.take(bytes: cost) else { return nil }
            return TemplateValue.of(element, budget: budget, cost: cost)
        }
    }

    func transform(_ name: String) -> Any? {
        switch name {
        case "count": TemplateNumber(value: Int64(elements.count))
        case "empty": elements.isEmpty
        case "first": elements.first.map { TemplateValue.of($0, budget: budget, cost: cost) }
        case "last": elements.last.map { TemplateValue.of($0, budget: budget, cost: cost) }
        case "reversed": TemplateList(elements: elements.reversed(), budget: budget, cost: cost)
        default: nil
        }
    }
}
