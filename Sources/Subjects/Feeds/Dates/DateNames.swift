/// The names of months and weekdays in the languages of feeds.
///
/// - Confinement: any
enum DateNames {
    /// Words that say nothing.
    static let fillers: Set<String> = ["at", "de", "del", "um", "uhr", "alle", "ore"]

    /// A word in small letters without accents and without a point at its end.
    static func plain(_ word: Substring) -> String {
        var word = word.lowercased()
        if word.hasSuffix("."), word.dropLast().allSatisfy({ $0 != "." }) { word.removeLast() }
        return String(word.map { accents[$0] ?? $0 })
    }

    /// The month whose name begins so; nil when there is none, or more than one.
    static func month(_ name: String) -> Int64? {
        guard name.count >= 3, name.allSatisfy(\.isLetter) else { return nil }
        if let month = exactMonths[name] { return month }
        let found = Set(months.filter { $0.name.hasPrefix(name) }.map(\.number))
        return found.count == 1 ? found.first : nil
    }

    /// Whether a word is a weekday or begins one.
    static func isWeekday(_ name: String) -> Bool {
        name.count >= 2 && name.allSatisfy { $0.isLetter || $0 == "-" } && weekdays.contains { $0.hasPrefix(name) }
    }

    /// Short forms that are no beginnings.
    private static let exactMonths: [String: Int64] = ["mrt": 3, "sept": 9, "μαι": 5]

    private static let accents: [Character: Character] = {
        var map: [Character: Character] = [:]
        for (plain, marked) in [
            ("a", "áàâäãåą"), ("c", "çćč"), ("e", "éèêëę"), ("g", "ğ"), ("i", "íìîïı"), ("l", "ł"), ("n", "ñń"),
            ("o", "óòôöõ"),
            ("s", "şś"), ("u", "úùûü"), ("z", "źż"), ("α", "ά"), ("ε", "έ"), ("η", "ή"), ("ι", "ίϊΐ"), ("ο", "ό"),
            ("υ", "ύϋΰ"),
            ("ω", "ώ"), ("σ", "ς"),
        ] as [(Character, String)] {
            for character in marked { map[character] = plain }
        }
        return map
    }()

    /// Lines of twelve: English, German, French, Italian, Spanish, Portuguese, Dutch, Polish (nominative and genitive), Greek (the same),
    /// Turkish.
    private static let months: [(name: String, number: Int64)] = """
        january february march april may june july august september october november december
        januar februar marz april mai juni juli august september oktober november dezember
        janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
        gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
        enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
        januari februari maart april mei juni juli augustus september oktober november december
        styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien
        stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia
        ιανουαριοσ φεβρουαριοσ μαρτιοσ απριλιοσ μαιοσ ιουνιοσ ιουλιοσ αυγουστοσ σεπτεμβριοσ οκτωβριοσ νοεμβριοσ δεκεμβριοσ
        ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου αυγουστου σεπτεμβριου οκτωβριου νοεμβριου δεκεμβριου
        ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik
        """
        .split(separator: "\n")
        .flatMap { line in line.split(separator: " ").enumerated().map { (String($0.element), Int64($0.offset + 1)) } }

    private static let weekdays = """
        monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
        lundi mardi mercredi jeudi vendredi samedi dimanche lunedi martedi mercoledi giovedi venerdi sabato domenica
        lunes martes miercoles jueves viernes sabado domingo segunda-feira terca-feira quarta-feira quinta-feira sexta-feira
        maandag dinsdag woensdag donderdag vrijdag zaterdag zondag poniedzialek wtorek sroda czwartek piatek sobota niedziela
        δευτερα τριτη τεταρτη πεμπτη παρασκευη σαββατο κυριακη pazartesi sali carsamba persembe cuma cumartesi pazar
        pn pt sr nd pzt cmt
        """
        .split { $0 == " " || $0 == "\n" }.map(String.init)
}
