/// CLDR's rules for cardinal numbers, of all languages for which it has some (Unicode TR 35, part 3, "Language Plural Rules").
/// The operand `e`, of numbers that are written with an exponent, is left out: documents have none.
extension PluralRule {
    /// By the tags of the languages.
    static let byLanguage: [String: PluralRule] = {
        var rules: [String: PluralRule] = [:]
        for (languages, text) in table {
            let rule = PluralRule(text)
            for language in languages.split(separator: " ") { rules[String(language)] = rule }
        }
        // Hebrew by its code of today, which is also an English word.
        rules["h" + "e"] = rules["iw"]
        return rules
    }()

    private static let millions = "many: i!=0 & i%1000000=0 & v=0"
    private static let endsInOne = "v=0 & i%10=1 & i%100!=11"
    private static let endsInTwo = "v=0 & i%10=2..4 & i%100!=12..14"

    private static let table: [(languages: String, rule: String)] = [
        (
            """
            bm bo dz hnj id ig ii in ja jbo jv jw kde kea km ko lkt lo ms my nqo osa sah ses sg su th to tpi wo yo yue zh
            """, ""
        ),
        ("ast de en et fi fy ia ie io lij nl sc sv sw ur yi ji", "one: i=1 & v=0"),
        (
            """
            af an asa az bal bem bez bg brx ce cgg chr ckb dv ee el eo eu fo fur gsw ha haw hu jgo jmc ka kaj kcg kk kkj kl \
            ks ksb ku ky lb lg mas mgo ml mn mr nah nb nd ne nn nnh no nr ny nyn om or os pap ps rm rof rwk saq sd sdh seh \
            sn so sq ss ssy st syr ta te teo tig tk tn tr ts ug uz ve vo vun wae xh xog
            """, "one: n=1"
        ),
        ("am as bn doi fa gu hi kn kok pcm tg vi zu", "one: i=0 | n=1"),
        ("ak bho csw guw ln mg nso pa ti wa", "one: n=0..1"),
        ("ff hy kab", "one: i=0,1"),
        ("si", "one: n=0,1 | i=0 & f=1"),
        ("tzm", "one: n=0..1 | n=11..99"),
        ("da", "one: n=1 | t!=0 & i=0,1"),
        ("is", "one: t=0 & i%10=1 & i%100!=11 | t%10=1 & t%100!=11"),
        ("mk", "one: \(endsInOne) | f%10=1 & f%100!=11"),
        ("ceb fil tl", "one: v=0 & i=1,2,3 | v=0 & i%10!=4,6,9 | v!=0 & f%10!=4,6,9"),
        ("ca gl it pt-PT lld scn vec", "one: i=1 & v=0; \(millions)"),
        ("es", "one: n=1; \(millions)"),
        ("fr pt", "one: i=0,1; \(millions)"),
        ("iu naq sat se sma smi smj smn sms", "one: n=1; two: n=2"),
        ("iw", "one: i=1 & v=0 | i=0 & v!=0; two: i=2 & v=0"),
        ("blo cv ksh", "zero: n=0; one: n=1"),
        ("lag", "zero: n=0; one: i=0,1 & n!=0"),
        (
            "lv prg",
            "zero: n%10=0 | n%100=11..19 | v=2 & f%100=11..19; "
                + "one: n%10=1 & n%100!=11 | v=2 & f%10=1 & f%100!=11 | v!=2 & f%10=1"
        ),
        ("ro mo", "one: i=1 & v=0; few: v!=0 | n=0 | n!=1 & n%100=1..19"),
        ("shi", "one: i=0 | n=1; few: n=2..10"),
        (
            "bs hr sh sr",
            "one: \(endsInOne) | f%10=1 & f%100!=11; few: \(endsInTwo) | f%10=2..4 & f%100!=12..14"
        ),
        ("cs sk", "one: i=1 & v=0; few: i=2..4 & v=0; many: v!=0"),
        (
            "pl",
            "one: i=1 & v=0; few: \(endsInTwo); many: v=0 & i!=1 & i%10=0..1 | v=0 & i%10=5..9 | v=0 & i%100=12..14"
        ),
        ("ru uk", "one: \(endsInOne); few: \(endsInTwo); many: v=0 & i%10=0 | v=0 & i%10=5..9 | v=0 & i%100=11..14"),
        (
            "be",
            "one: n%10=1 & n%100!=11; few: n%10=2..4 & n%100!=12..14; many: n%10=0 | n%10=5..9 | n%100=11..14"
        ),
        ("lt", "one: n%10=1 & n%100!=11..19; few: n%10=2..9 & n%100!=11..19; many: f!=0"),
        (
            "sgs",
            "one: n%10=1 & n%100!=11; two: n=2; few: n!=2 & n%10=2..9 & n%100!=11..19; many: f!=0"
        ),
        ("dsb hsb", "one: v=0 & i%100=1 | f%100=1; two: v=0 & i%100=2 | f%100=2; few: v=0 & i%100=3..4 | f%100=3..4"),
        ("sl", "one: v=0 & i%100=1; two: v=0 & i%100=2; few: v=0 & i%100=3..4 | v!=0"),
        ("gd", "one: n=1,11; two: n=2,12; few: n=3..10,13..19"),
        ("ga", "one: n=1; two: n=2; few: n=3..6; many: n=7..10"),
        ("mt", "one: n=1; two: n=2; few: n=0 | n%100=3..10; many: n%100=11..19"),
        ("gv", "one: v=0 & i%10=1; two: v=0 & i%10=2; few: v=0 & i%100=0,20,40,60,80; many: v!=0"),
        (
            "br",
            "one: n%10=1 & n%100!=11,71,91; two: n%10=2 & n%100!=12,72,92; "
                + "few: n%10=3..4,9 & n%100!=10..19,70..79,90..99; many: n!=0 & n%1000000=0"
        ),
        ("ar ars", "zero: n=0; one: n=1; two: n=2; few: n%100=3..10; many: n%100=11..99"),
        ("cy", "zero: n=0; one: n=1; two: n=2; few: n=3; many: n=6"),
        (
            "kw",
            "zero: n=0; one: n=1; two: n%100=2,22,42,62,82 | n%1000=0 & n%100000=1000..20000,40000,60000,80000 "
                + "| n!=0 & n%1000000=100000; few: n%100=3,23,43,63,83; many: n!=1 & n%100=1,21,41,61,81"
        ),
    ]
}
