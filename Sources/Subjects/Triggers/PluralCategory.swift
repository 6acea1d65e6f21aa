/// The plural forms of words in languages, by CLDR's names (Unicode TR 35, part 3, "Language Plural Rules").
///
/// - Confinement: any
package enum PluralCategory: String, Sendable, Hashable, CaseIterable {
    case zero, one, two, few, many, other
}

/// How a language chooses a form, by CLDR 46; the operands `i`, `v` and `n` are CLDR's.
///
/// - Confinement: any
enum PluralRule: Sendable, Hashable {
    /// English, German: 1 without a fraction is `one`.
    case english
    /// Greek and Turkish: 1 is `one`, also as 1.00.
    case greek
    /// Italian: as English, and whole millions are `many`.
    case italian
    /// Spanish: as Greek, and whole millions are `many`.
    case spanish
    /// French: 0 and 1, also with a fraction, are `one`; whole millions are `many`.
    case french
    /// Polish.
    case polish
    /// Russian and Ukrainian.
    case russian
    /// Languages without plural forms, and unknown ones.
    case none

    func category(of number: DecimalText) -> PluralCategory {
        let isWhole = number.fraction.isEmpty
        let isOne = number.whole == "1"
        switch self {
        case .none: return .other
        case .english: return isOne && isWhole ? .one : .other
        case .greek: return isOne && number.hasZeroFraction ? .one : .other
        case .italian:
            if isOne, isWhole { return .one }
            return number.isWholeMillions ? .many : .other
        case .spanish:
            if isOne, number.hasZeroFraction { return .one }
            return number.isWholeMillions ? .many : .other
        case .french:
            if isOne || number.whole == "0" { return .one }
            return number.isWholeMillions ? .many : .other
        case .polish, .russian: return isWhole ? slavic(number) : .other
        }
    }

    /// In Polish only 1 itself is `one`, in Russian all numbers that end in 1 but not in 11.
    private func slavic(_ number: DecimalText) -> PluralCategory {
        let tail = number.lastTwoDigits
        let isTeen = (11...14).contains(tail)
        if self == .polish ? number.whole == "1" : tail % 10 == 1 && !isTeen { return .one }
        return (2...4).contains(tail % 10) && !isTeen ? .few : .many
    }
}
