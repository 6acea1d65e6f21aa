/// The zones of dates, as minutes east of Greenwich.
///
/// Names that mean several zones are not there: `IST` is India, Ireland and Israel, `AST` is Halifax and Riad. Those of RFC 822 mean what it
/// says. Letters of the military mean nothing, since RFC 822 had their signs wrong (RFC 2822 section 4.3).
///
/// - Confinement: any
enum DateZone {
    /// Names of Greenwich after which an offset may follow.
    static let greenwich: Set<String> = ["gmt", "utc", "ut"]

    /// The zone of a name in small letters.
    static func named(_ name: String) -> Int64? { zones[name] }

    /// `+02:00`, `+0200`, `+02`, `+2`.
    static func offset(_ text: Substring) -> Int64? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        var digits = text.dropFirst()
        let sides = digits.split(separator: ":", omittingEmptySubsequences: false)
        if sides.count == 2 {
            guard (1...2).contains(sides[0].utf8.count), sides[1].utf8.count == 2 else { return nil }
            digits = Substring((sides[0].utf8.count == 1 ? "0" : "") + sides[0] + sides[1])
        }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits) else { return nil }
        let minutes: Int64
        switch digits.utf8.count {
        case 1, 2: minutes = number * 60
        case 4:
            guard number % 100 < 60 else { return nil }
            minutes = number / 100 * 60 + number % 100
        default: return nil
        }
        guard minutes <= 14 * 60 else { return nil }
        return sign == "-" ? -minutes : minutes
    }

    /// `gmt+0200`, `utc+2`.
    static func offsetFromGreenwich(_ name: String) -> Int64? {
        guard let sign = name.firstIndex(where: { $0 == "+" || $0 == "-" }), greenwich.contains(String(name[..<sign]))
        else {
            return nil
        }
        return offset(name[sign...])
    }

    private static let zones: [String: Int64] = [
        "z": 0, "gmt": 0, "utc": 0, "ut": 0, "wet": 0,
        "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
        "akst": -540, "akdt": -480, "hst": -600, "brt": -180, "art": -180, "nst": -210, "ndt": -150,
        "west": 60, "bst": 60, "cet": 60, "met": 60, "mez": 60, "wat": 60,
        "cest": 120, "mest": 120, "mesz": 120, "eet": 120, "sast": 120, "cat": 120,
        "eest": 180, "msk": 180, "trt": 180, "idt": 180, "eat": 180, "pkt": 300, "wib": 420,
        "hkt": 480, "sgt": 480, "awst": 480, "jst": 540, "kst": 540, "acst": 570, "acdt": 630, "aest": 600, "aedt": 660,
        "nzst": 720, "nzdt": 780,
    ]
}
