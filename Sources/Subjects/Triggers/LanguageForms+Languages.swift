/// The languages of the first tables, from CLDR; further ones have a line each in the table beside it.
extension LanguageForms {
    /// The forms for all languages that are not listed here.
    static let plain = LanguageForms(decimal: ".", group: "", months: [], date: "")

    static let languages: [String: LanguageForms] = [
        "en": english, "en-GB": british, "en-IE": british, "de": german, "de-CH": swiss(german), "el": greek,
        "es": spanish, "fr": french, "it": italian, "it-CH": swiss(italian), "pl": polish, "ru": russian,
        "tr": turkish, "uk": ukrainian,
    ]

    private static let english = LanguageForms(
        decimal: ".", group: ",",
        months: words("January February March April May June July August September October November December"),
        date: "M D, Y", clock: .hours12(am: "AM", pm: "PM"))

    private static let british: LanguageForms = {
        var forms = english
        forms.date = "D M Y"
        forms.clock = .hours24
        return forms
    }()

    private static let german = LanguageForms(
        months: words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
        date: "D. M Y")

    private static let greek = LanguageForms(
        months: words(
            "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου "
                + "Νοεμβρίου Δεκεμβρίου"),
        clock: .hours12(am: "πμ", pm: "μμ"))

    private static let spanish = LanguageForms(
        groupsFrom: 5,
        months: words("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
        date: "D de M de Y", clock: .hours24Short)

    private static let french = LanguageForms(
        group: "\u{202f}",
        months: words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"))

    private static let italian = LanguageForms(
        months: words("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"))

    private static let polish = LanguageForms(
        group: "\u{a0}", groupsFrom: 5,
        months: words(
            "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"))

    private static let russian = LanguageForms(
        group: "\u{a0}",
        months: words("января февраля марта апреля мая июня июля августа сентября октября ноября декабря"),
        date: "D M Y\u{a0}г.")

    private static let turkish = LanguageForms(
        months: words("Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık"),
        letters: .turkic)

    private static let ukrainian = LanguageForms(
        group: "\u{a0}",
        months: words("січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня"),
        date: "D M Y\u{a0}р.")

    /// A language as written in Switzerland, where numbers differ.
    private static func swiss(_ language: LanguageForms) -> LanguageForms {
        var forms = language
        forms.decimal = "."
        forms.group = "’"
        return forms
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
