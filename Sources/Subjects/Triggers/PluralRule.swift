import Model

/// How a language chooses the form of a noun beside a number, by CLDR's rules.
///
/// - Confinement: any
struct PluralRule: Sendable, Hashable {
    /// A form, and when it is taken: when all relations of one of the lists hold.
    struct Form: Sendable, Hashable {
        let category: PluralCategory
        let alternatives: [[Relation]]
    }

    /// A relation between a number and some values: `n % 100 = 3..10`.
    struct Relation: Sendable, Hashable {
        let operand: PluralOperand
        /// Nil for the number itself.
        let divisor: Int?
        let isWithin: Bool
        let values: [ClosedRange<Int>]

        func holds(of number: DecimalText) -> Bool {
            guard let value = operand.value(of: number, modulo: divisor) else { return !isWithin }
            return values.contains { $0.contains(value) } == isWithin
        }
    }

    private let forms: [Form]

    /// Languages without plural forms, and unknown ones.
    static let none = PluralRule(forms: [])

    private init(forms: [Form]) { self.forms = forms }

    /// Reads a rule of the table: `one: v=0 & i%10=1 | f%10=1; few: n=2..4,9`.
    ///
    /// - Precondition: it has that form.
    init(_ text: String) {
        forms = text.split(separator: ";").map { form in
            let parts = form.split(separator: ":").map { $0.filter { $0 != " " } }
            guard parts.count == 2, let category = PluralCategory(rawValue: parts[0]) else {
                preconditionFailure("a form of a plural rule: \(form)")
            }
            let alternatives = parts[1].split(separator: "|").map { $0.split(separator: "&").map(Relation.init) }
            return Form(category: category, alternatives: alternatives)
        }
    }

    /// The forms that the language has, beside `other`.
    var categories: [PluralCategory] { forms.map(\.category) }

    func category(of number: DecimalText) -> PluralCategory {
        for form in forms
        where form.alternatives.contains(where: { relations in relations.allSatisfy { $0.holds(of: number) } }) {
            return form.category
        }
        return .other
    }

    /// The rule of a language, or of the nearest wider one that has one.
    ///
    /// - Returns: nil when none is known.
    static func of(_ language: LanguageTag?) -> PluralRule? {
        var wanted = language ?? LanguageTag("en")
        while let tag = wanted {
            if let rule = byLanguage[tag.text] { return rule }
            wanted = tag.wider
        }
        return nil
    }
}

extension PluralRule.Relation {
    /// - Precondition: it has the form `n%100!=11..14,21`.
    fileprivate init(_ text: Substring) {
        isWithin = !text.contains("!")
        let sides = text.filter { $0 != "!" }.split(separator: "=")
        guard sides.count == 2, let letter = sides[0].first, let operand = PluralOperand(rawValue: letter) else {
            preconditionFailure("a relation of a plural rule: \(text)")
        }
        self.operand = operand
        divisor = sides[0].split(separator: "%").dropFirst().first.flatMap { Int($0) }
        values = sides[1].split(separator: ",").map { range in
            let ends = range.split(separator: ".").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last else {
                preconditionFailure("values of a plural rule: \(text)")
            }
            return first...last
        }
    }
}

/// A property of a number that plural rules ask for, by CLDR's letter.
///
/// - Confinement: any
enum PluralOperand: Character, Sendable, Hashable {
    /// The number itself, which is a whole one or no value of a rule.
    case number = "n"
    /// Its whole part.
    case whole = "i"
    /// How many digits it shows after the point.
    case fractionDigits = "v"
    /// The digits after the point as a number, with and without the zeros at their end.
    case fraction = "f"
    case fractionWithoutZeros = "t"

    /// The value for a number, or what is left of it after a division; nil for a number that is not whole.
    func value(of number: DecimalText, modulo divisor: Int?) -> Int? {
        switch self {
        case .number: number.hasZeroFraction ? Self.value(number.whole, modulo: divisor) : nil
        case .whole: Self.value(number.whole, modulo: divisor)
        case .fractionDigits: number.fraction.utf8.count
        case .fraction: Self.value(number.fraction, modulo: divisor)
        case .fractionWithoutZeros:
            Self.value(String(number.fraction.reversed().drop { $0 == "0" }.reversed()), modulo: divisor)
        }
    }

    /// The divisors divide a thousand million, so that the last digits are enough. A larger number is no value of a rule.
    private static func value(_ digits: String, modulo divisor: Int?) -> Int {
        let significant = digits.drop { $0 == "0" }
        let last = Int(significant.suffix(9)) ?? 0
        guard let divisor else { return significant.utf8.count > 9 ? Int.max : last }
        return last % divisor
    }
}
