import JSON

extension TemplateFunction {
    /// The function's result for a value; nil when it does not apply to it, or the budget is used up.
    func applied(to value: JSONValue, in round: TemplateRound) -> TemplateRendering.Value? {
        switch value {
        case .bool, .object: return nil
        case .array(let elements): return applied(to: elements, in: round).map { .json($0) }
        case .integer(let number):
            if case .general(let function) = self { return function.applied(to: number).map { .json($0) } }
            return written(String(number), in: round)
        case .null: return applied(to: "", in: round)
        case .number: return applied(to: value.text, in: round)
        case .string(let text): return applied(to: text, in: round)
        }
    }

    /// The function's result for the current round of a list; nil when it says nothing about rounds.
    func told(of round: TemplateRendering.ListRound) -> TemplateRendering.Value? {
        switch self {
        case .general(.first): .json(.bool(round.index == 0))
        case .general(.last): .json(.bool(round.isLast))
        case .general(.index): .json(.integer(Int64(round.index)))
        case .general(.even): .json(.bool(round.index.isMultiple(of: 2)))
        case .general(.odd): .json(.bool(!round.index.isMultiple(of: 2)))
        case .general, .number, .date, .time, .plural: nil
        }
    }

    private func applied(to text: String, in round: TemplateRound) -> TemplateRendering.Value? {
        guard round.budget.take(bytes: text.utf8.count) else { return nil }
        guard case .general(let function) = self else { return written(text, in: round) }
        switch function {
        case .uppercased: return .json(.string(round.forms.letters.uppercased(text)))
        case .lowercased: return .json(.string(round.forms.letters.lowercased(text)))
        case .capitalized: return .json(.string(round.forms.letters.capitalized(text)))
        case .empty: return .json(.bool(text.isEmpty))
        case .reversed: return .json(.string(String(text.reversed())))
        case .count, .equalzero, .even, .first, .index, .last, .minusone, .odd, .plusone: return nil
        }
    }

    private func applied(to elements: [JSONValue], in round: TemplateRound) -> JSONValue? {
        guard case .general(let function) = self else { return nil }
        switch function {
        case .count: return .integer(Int64(elements.count))
        case .empty: return .bool(elements.isEmpty)
        case .first: return elements.first
        case .last: return elements.last
        case .reversed: return round.budget.take(bytes: 16 * elements.count) ? .array(elements.reversed()) : nil
        case .capitalized, .equalzero, .even, .index, .lowercased, .minusone, .odd, .plusone, .uppercased: return nil
        }
    }

    /// The result of a function that depends on a language, for a text.
    private func written(_ text: String, in round: TemplateRound) -> TemplateRendering.Value? {
        let forms = round.forms
        switch self {
        case .number(let digits): return .json(.string(forms.number(text, digits: digits)))
        case .date(let zone):
            return .json(.string(Self.shown(text, in: zone.clock(round)).map { forms.date($0.time) } ?? text))
        case .time(let zone):
            let shown = Self.shown(text, in: zone.clock(round))
            return .json(.string(shown.map { $0.hasTime ? forms.time($0.time) : "" } ?? text))
        case .plural: return .plural(TemplatePlural(forms.category(of: text)))
        case .general: return nil
        }
    }
}

extension TemplateFunction.General {
    /// The function's result for a whole number; it never traps.
    fileprivate func applied(to number: Int64) -> JSONValue? {
        switch self {
        case .equalzero: .bool(number == 0)
        case .even: .bool(number & 1 == 0)
        case .odd: .bool(number & 1 == 1)
        case .plusone: .integer(number &+ 1)
        case .minusone: .integer(number &- 1)
        case .capitalized, .count, .empty, .first, .index, .last, .lowercased, .reversed, .uppercased: nil
        }
    }
}
