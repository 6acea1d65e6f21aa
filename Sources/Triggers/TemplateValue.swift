import JSON
import Mustache

/// The types through which Mustache sees a JSON value. They render deterministically (an object has no order to show),
/// trap on nothing (the library's `plusone` of the greatest number would), and draw on a budget.
///
/// Null, false, an empty text and an empty list are false to a section.
enum TemplateValue {
    static func of(_ value: JSONValue, _ round: TemplateRound) -> Any {
        switch value {
        case .null: TemplateText(text: "", round: round)
        case .bool(let bool): bool
        case .integer(let number): TemplateNumber(value: number, round: round)
        case .number: TemplateText(text: value.text, round: round)
        case .string(let text): TemplateText(text: text, round: round)
        case .array(let elements): TemplateList(elements: elements, round: round)
        case .object(let object): TemplateObject(object: object, round: round)
        }
    }

    /// What a function of ours makes of a value's text.
    static func of(_ function: TemplateFunction, _ text: String, _ round: TemplateRound) -> Any {
        guard let written = function.written(text, in: round.forms) else {
            return TemplatePlural(round.forms.category(of: text))
        }
        return TemplateText(text: written, round: round)
    }
}

/// A text, a fraction or null.
struct TemplateText: MustacheCustomRenderable, MustacheTransformable {
    let text: String
    let round: TemplateRound

    var renderText: String { round.budget.take(bytes: text.utf8.count) ? text : "" }
    var isNull: Bool { text.isEmpty }

    func transform(_ name: String) -> Any? {
        guard round.budget.take(bytes: text.utf8.count) else { return nil }
        if let function = TemplateFunction(name) { return TemplateValue.of(function, text, round) }
        return switch text.transform(name) {
        case let result as String: TemplateText(text: result, round: round)
        case let result as Substring: TemplateText(text: String(result), round: round)
        case let result: result
        }
    }
}

/// A whole number.
struct TemplateNumber: MustacheCustomRenderable, MustacheTransformable {
    let value: Int64
    let round: TemplateRound

    var renderText: String { String(value) }
    var isNull: Bool { false }

    func transform(_ name: String) -> Any? {
        if let function = TemplateFunction(name) { return TemplateValue.of(function, String(value), round) }
        return switch name {
        case "equalzero": value == 0
        case "even": value & 1 == 0
        case "odd": value & 1 == 1
        case "plusone": TemplateNumber(value: value &+ 1, round: round)
        case "minusone": TemplateNumber(value: value &- 1, round: round)
        default: nil
        }
    }
}

/// An object; its text is nothing, its members are reached by name.
struct TemplateObject: MustacheParent, MustacheCustomRenderable {
    let object: JSONObject
    let round: TemplateRound

    var renderText: String { "" }
    var isNull: Bool { false }

    func child(named name: String) -> Any? {
        // Looking a member up walks the object.
        guard round.budget.take(bytes: object.count) else { return nil }
        return object[name].map { TemplateValue.of($0, round) }
    }
}

/// A list; its text is nothing, its elements come one by one as long as the budget lasts.
struct TemplateList: MustacheSequence, MustacheCustomRenderable, MustacheTransformable {
    let elements: [JSONValue]
    let round: TemplateRound

    var renderText: String { "" }
    var isNull: Bool { elements.isEmpty }

    func makeIterator() -> AnyIterator<Any> {
        var remaining = elements[...]
        return AnyIterator {
            guard let element = remaining.popFirst(), round.budget.take(bytes: round.cost) else { return nil }
            return TemplateValue.of(element, round)
        }
    }

    func transform(_ name: String) -> Any? {
        switch name {
        case "count": TemplateNumber(value: Int64(elements.count), round: round)
        case "empty": elements.isEmpty
        case "first": elements.first.map { TemplateValue.of($0, round) }
        case "last": elements.last.map { TemplateValue.of($0, round) }
        case "reversed" where round.budget.take(bytes: 16 * elements.count):
            TemplateList(elements: elements.reversed(), round: round)
        default: nil
        }
    }
}
