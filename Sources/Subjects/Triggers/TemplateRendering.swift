import JSON

/// One rendering of one template: the values around the current tag, and the text so far.
///
/// - Confinement: store
struct TemplateRendering {
    /// A value that a tag stands for.
    enum Value {
        case json(JSONValue)
        case plural(TemplatePlural)
    }

    /// The round of a list.
    struct ListRound {
        let index: Int
        let isLast: Bool
    }

    private(set) var output = ""
    private let round: TemplateRound
    private let values: Value
    /// The values of the open sections, the innermost last. Most templates have no sections, and then nothing is
    /// allocated.
    private var around: [Value] = []
    private var listRound: ListRound?

    init(of values: JSONObject, _ round: TemplateRound) {
        self.round = round
        self.values = .json(.object(values))
    }

    /// Appends the text of the parts.
    mutating func put(_ parts: [TemplatePart]) {
        for part in parts {
            switch part {
            case .text(let text): output += text
            case .variable(let reference): put(value(of: reference))
            case .section(let reference, let isInverted, let parts):
                put(parts, for: value(of: reference), isInverted: isInverted)
            }
        }
    }

    /// Appends a value; lists and objects have no text.
    private mutating func put(_ value: Value?) {
        guard case .json(let json) = value else { return }
        let text: String
        switch json {
        case .null, .array, .object: return
        case .bool(let bool): text = bool ? "true" : "false"
        case .integer(let number): text = String(number)
        case .number: text = json.text
        case .string(let string): text = string
        }
        if round.budget.take(bytes: text.utf8.count) { output += text }
    }

    /// Appends a section. Null, false, an empty text and an empty list count as false.
    private mutating func put(_ parts: [TemplatePart], for value: Value?, isInverted: Bool) {
        switch value {
        case .json(.array(let elements)) where !elements.isEmpty:
            if !isInverted { put(parts, forEach: elements) }
        case .json(.bool(let isTrue)):
            if isTrue != isInverted { put(parts) }
        case nil, .json(.null), .json(.string("")):
            if isInverted { put(parts) }
        case .json(.array(let elements)):
            if isInverted { put(parts, in: .json(.array(elements)), nil) }
        case .some(let value):
            if !isInverted { put(parts, in: value, nil) }
        }
    }

    private mutating func put(_ parts: [TemplatePart], forEach elements: [JSONValue]) {
        for (index, element) in elements.enumerated() {
            guard round.budget.take(bytes: round.cost) else { return }
            put(parts, in: .json(element), ListRound(index: index, isLast: index == elements.count - 1))
        }
    }

    private mutating func put(_ parts: [TemplatePart], in value: Value, _ listRound: ListRound?) {
        let outer = self.listRound
        self.listRound = listRound
        around.append(value)
        put(parts)
        around.removeLast()
        self.listRound = outer
    }

    // MARK: Looking up

    /// The value of a tag; nil when there is none, or a function does not apply to it.
    private func value(of reference: TemplateReference) -> Value? {
        var value: Value?
        var functions = reference.functions[...]
        switch reference.start {
        case .around: value = lookUp(reference.names)
        case .here: value = member(reference.names[...], of: innermost)
        case .round: value = listRound.flatMap { round in functions.popFirst().flatMap { $0.told(of: round) } }
        }
        for function in functions {
            guard case .json(let json) = value else { return nil }
            value = function.applied(to: json, in: round)
        }
        return value
    }

    private var innermost: Value { around.last ?? values }

    private func lookUp(_ names: [String]) -> Value? {
        guard let first = names.first else { return innermost }
        for value in around.reversed() {
            if let found = member(first, of: value) { return member(names.dropFirst(), of: found) }
        }
        return member(first, of: values).flatMap { member(names.dropFirst(), of: $0) }
    }

    private func member(_ names: ArraySlice<String>, of value: Value) -> Value? {
        var value = value
        for name in names {
            guard let found = member(name, of: value) else { return nil }
            value = found
        }
        return value
    }

    private func member(_ name: String, of value: Value) -> Value? {
        switch value {
        // Looking a member up walks the object.
        case .json(.object(let object)): round.budget.walk(object.count) ? object[name].map { .json($0) } : nil
        case .plural(let plural): plural.isMeant(name).map { .json(.bool($0)) }
        case .json: nil
        }
    }
}
