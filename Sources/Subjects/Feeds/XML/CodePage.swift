/// One-byte encodings for a system that has no other reader for them: the characters of the bytes from 0x80 on.
///
/// - Confinement: any
enum CodePage {
    /// The 128 characters of an encoding, by its name in WHATWG's standard; nil for others than these.
    static func upperHalf(of name: String) -> String? {
        switch name {
        case "windows-1253": greekOfWindows
        case "ISO-8859-7": greek
        case "windows-1252": westernOfWindows
        case "ISO-8859-15": western
        case "windows-1250": centralOfWindows
        case "ISO-8859-2": central
        case "windows-1251": cyrillicOfWindows
        default: nil
        }
    }

    /// A text in UTF-8, with U+FFFD for bytes without a meaning; nil for encodings that are not here.
    static func utf8(_ bytes: [UInt8], from name: String) -> [UInt8]? {
        guard let characters = upperHalf(of: name)?.unicodeScalars.map({ Array(String($0).utf8) }) else { return nil }
        return bytes.flatMap { $0 < 0x80 ? [$0] : characters[Int($0) - 0x80] }
    }

    // U+FFFD stands for undefined bytes and unused control characters.
    private static let greekOfWindows =
        "€�‚ƒ„…†‡�‰�‹�����‘’“”•–—�™�›����"
        + "\u{a0}΅Ά£¤¥¦§¨©�«¬\u{ad}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏ"
        + "ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ�ΣΤΥΦΧΨΩΪΫάέήί"
        + "ΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ�"
    private static let greek =
        "��������������������������������"
        + "\u{a0}‘’£€₯¦§¨©ͺ«¬\u{ad}�―°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ"
        + "ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ�ΣΤΥΦΧΨΩΪΫάέήί"
        + "ΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ�"
    private static let westernOfWindows =
        "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ"
        + "\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿"
        + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
        + "àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    private static let western =
        "��������������������������������"
        + "\u{a0}¡¢£€¥Š§š©ª«¬\u{ad}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿"
        + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
        + "àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    private static let centralOfWindows =
        "€�‚�„…†‡�‰Š‹ŚŤŽŹ�‘’“”•–—�™š›śťžź"
        + "\u{a0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{ad}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż"
        + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
        + "ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
    private static let central =
        "��������������������������������"
        + "\u{a0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{ad}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žż"
        + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
        + "ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
    private static let cyrillicOfWindows =
        "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—�™љ›њќћџ"
        + "\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї"
        + "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
        + "абвгдежзийклмнопрстуфхцчшщъыьэюя"
}
