/// The entities of HTML that occur in feeds.
///
/// - Confinement: any
enum HTMLEntity {
    /// The text of `nbsp`, `#8217` or `#x2019`, without the ampersand and the semicolon; nil for an unknown one.
    static func text(named name: String) -> String? {
        guard name.hasPrefix("#") else { return byName[name] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
        guard digits.utf8.count <= 9,
            let value = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        // Old editors wrote these numbers for characters of windows-1252 (HTML, section 13.2.5.80).
        if (0x80...0x9f).contains(value), let byte = UInt8(exactly: value) { return WesternCharacter.of(byte) }
        return Unicode.Scalar(value).map { String($0) } ?? "\u{fffd}"
    }

    private static let byName: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}", "ndash": "–", "mdash": "—",
        "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "laquo": "«", "raquo": "»",
        "lsaquo": "‹", "rsaquo": "›", "hellip": "…", "bull": "•", "middot": "·", "deg": "°", "euro": "€", "pound": "£",
        "yen": "¥", "cent": "¢", "copy": "©", "reg": "®", "trade": "™", "sect": "§", "para": "¶", "times": "×",
        "divide": "÷", "plusmn": "±", "minus": "−", "frac12": "½", "frac14": "¼", "sup2": "²", "sup3": "³",
        "micro": "µ",
        "shy": "", "zwnj": "\u{200c}", "zwj": "\u{200d}", "lrm": "", "rlm": "", "ensp": " ", "emsp": " ", "thinsp": " ",
        "larr": "←", "rarr": "→",
        "agrave": "à", "aacute": "á", "acirc": "â", "atilde": "ã", "auml": "ä", "aring": "å", "aelig": "æ",
        "ccedil": "ç", "egrave": "è", "eacute": "é", "ecirc": "ê", "euml": "ë", "igrave": "ì", "iacute": "í",
        "icirc": "î", "iuml": "ï", "ntilde": "ñ", "ograve": "ò", "oacute": "ó", "ocirc": "ô", "otilde": "õ",
        "ouml": "ö", "oslash": "ø", "ugrave": "ù", "uacute": "ú", "ucirc": "û", "uuml": "ü", "szlig": "ß",
        "Agrave": "À", "Aacute": "Á", "Auml": "Ä", "Egrave": "È", "Eacute": "É", "Ouml": "Ö", "Uuml": "Ü",
        "Acirc": "Â", "Atilde": "Ã", "Aring": "Å", "AElig": "Æ", "Ccedil": "Ç", "Ecirc": "Ê", "Euml": "Ë",
        "Igrave": "Ì",
        "Iacute": "Í", "Icirc": "Î", "Iuml": "Ï", "Ntilde": "Ñ", "Ograve": "Ò", "Ocirc": "Ô", "Otilde": "Õ",
        "Oslash": "Ø",
        "Ugrave": "Ù", "Ucirc": "Û", "yacute": "ý", "yuml": "ÿ", "Yacute": "Ý", "eth": "ð", "ETH": "Ð", "thorn": "þ",
        "THORN": "Þ", "OElig": "Œ", "oelig": "œ", "Scaron": "Š", "scaron": "š", "iexcl": "¡", "iquest": "¿",
        "ordf": "ª",
        "ordm": "º", "sup1": "¹", "frac34": "¾", "not": "¬", "brvbar": "¦", "acute": "´", "cedil": "¸", "curren": "¤",
        "permil": "‰", "dagger": "†", "prime": "′", "uarr": "↑", "darr": "↓", "check": "✓", "star": "☆",
        "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "mu": "μ", "pi": "π", "sigma": "σ",
        "Sigma": "Σ", "omega": "ω", "Omega": "Ω",
    ]
}
