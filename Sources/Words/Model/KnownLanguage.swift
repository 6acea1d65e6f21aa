/// Whether a language exists: a tag may have the right form and name none, which nobody reads.
///
/// - Confinement: any
package enum KnownLanguage {
    /// The part of a tag that names nothing; nil for a tag that is known. Languages of three letters are not looked up, since there
    /// are thousands.
    package static func unknownPart(of tag: LanguageTag) -> String? {
        let parts = tag.text.split(separator: "-")
        guard let language = parts.first else { return nil }
        if language.count == 2, !languages.contains(String(language)) { return "language '\(language)'" }
        guard let region = parts.dropFirst().first(where: { $0.count == 2 }), !regions.contains(String(region)) else {
            return nil
        }
        return "region '\(region)'"
    }

    /// ISO 639-1, and old codes that some systems still write.
    private static let languages = codes(
        """
        aabefkmnrsvyz baeghimnors caehorsuvy daevz eelnostu fafijory gadlnuv haeiortuyz iadegiknostuw jaiv \
        kagijklmnorsuvwy labginotuv mghiklnorsty nabdeglnorvy ocjmrs pailst qu rmnouw sacdeghiklmnoqrstuvw \
        taeghiklnorstwy ugkrz veio wao xh yio zahu
        """)

    /// ISO 3166-1, and two that are in use without it.
    private static let regions = codes(
        """
        ADEFGILMOQRSTUWXZ BABDEFGHIJLMNOQRSTVWYZ CACDFGHIKLMNORUVWXYZ DEJKMOZ ECEGHRSTU FIJKMOR GABDEFGHILMNPQRSTUWY \
        HKMNRTU IDELMNOQRST JEMOP KEGHIMNPRWYZ LABCIKRSTUVY MACDEFGHKLMNOPQRSTUVWXYZ NACEFGILOPRUZ OM PAEFGHKLMNRSTWY \
        QA REOSUW SABCDEGHIJKLMNORSTVXYZ TCDFGHJKLMNORTVWZ UAGMSYZ VACEGINU WFS XK YET ZAMW
        """)

    /// The codes of two letters, from words of the first letter and all second ones.
    private static func codes(_ words: String) -> Set<String> {
        Set(words.split(separator: " ").flatMap { word in word.dropFirst().map { "\(word.prefix(1))\($0)" } })
    }
}
