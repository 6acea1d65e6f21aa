/// The plural forms of words in languages, by CLDR's names (Unicode TR 35, part 3, "Language Plural Rules").
///
/// - Confinement: any
package enum PluralCategory: String, Sendable, Hashable, CaseIterable {
    case zero, one, two, few, many, other
}
