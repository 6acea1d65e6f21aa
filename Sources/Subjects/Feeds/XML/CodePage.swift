/// One-byte encodings that expat does not support: the characters of the bytes from 0x80 on.
///
/// - Confinement: any
enum CodePage {
    /// The 128 characters of an encoding, by any of its names in small letters; nil for an unknown name.
    static func upperHalf(of name: String) -> String? {
        switch name {
        case "windows-1253", "cp1253", "x-cp1253": greekOfWindows
        case "iso-8859-7", "iso8859-7", "greek": greek
        case "windows-1252", "cp1252": westernOfWindows
        case "iso-8859-15", "latin-9": western
        case "windows-1250", "cp1250": centralOfWindows
        case "iso-8859-2", "latin2": central
        case "windows-1251", "cp1251": cyrillicOfWindows
        default: nil
        }
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
