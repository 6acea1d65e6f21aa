/// The encodings of WHATWG's standard with their labels and the names that glibc's iconv has for them.
///
/// - Confinement: any
enum EncodingNames {
    struct Row: Sendable {
        let name: String
        let systemName: String
        let width: TextEncoding.Width
    }

    /// A label without everything but letters and digits, in small letters; in this form no two encodings share one.
    static func squeezed(_ label: String) -> String {
        var bytes: [UInt8] = []
        for byte in label.utf8.prefix(64) {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(byte)
            default: continue
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static let byLabel: [String: Row] = {
        var rows: [String: Row] = [:]
        for (width, list) in [(TextEncoding.Width.one, oneByte), (.many, manyBytes)] {
            for (name, systemName, labels) in list {
                for label in [squeezed(name)] + labels.split(separator: " ").map(String.init) {
                    rows[label] = Row(name: name, systemName: systemName, width: width)
                }
            }
        }
        return rows
    }()

    private static let oneByte: [(name: String, systemName: String, labels: String)] = [
        ("IBM866", "IBM866", "866 cp866 csibm866"),
        ("ISO-8859-2", "ISO-8859-2", "csisolatin2 isoir101 iso885921987 l2 latin2"),
        ("ISO-8859-3", "ISO-8859-3", "csisolatin3 isoir109 iso885931988 l3 latin3"),
        ("ISO-8859-4", "ISO-8859-4", "csisolatin4 isoir110 iso885941988 l4 latin4"),
        ("ISO-8859-5", "ISO-8859-5", "csisolatincyrillic cyrillic isoir144 iso885951988"),
        (
            "ISO-8859-6", "ISO-8859-6",
            "arabic asmo708 csiso88596e csiso88596i csisolatinarabic ecma114 iso88596e iso88596i isoir127 iso885961987"
        ),
        (
            "ISO-8859-7", "ISO-8859-7",
            "csisolatingreek ecma118 elot928 greek greek8 isoir126 iso885971987 suneugreek"
        ),
        (
            "ISO-8859-8", "ISO-8859-8",
            "csiso88598e csisolatinhebrew hebrew iso88598e isoir138 iso885981988 visual csiso88598i iso88598i logical"
        ),
        ("ISO-8859-10", "ISO-8859-10", "csisolatin6 isoir157 l6 latin6"),
        ("ISO-8859-13", "ISO-8859-13", "latin7"),
        ("ISO-8859-14", "ISO-8859-14", "latin8"),
        ("ISO-8859-15", "ISO-8859-15", "csisolatin9 l9 latin9"),
        ("ISO-8859-16", "ISO-8859-16", "latin10"),
        ("KOI8-R", "KOI8-R", "cskoi8r koi koi8"),
        ("KOI8-U", "KOI8-U", "koi8ru"),
        ("macintosh", "MACINTOSH", "csmacintosh mac xmacroman"),
        ("windows-874", "CP874", "dos874 cp874 iso885911 tis620"),
        ("windows-1250", "CP1250", "cp1250 xcp1250"),
        ("windows-1251", "CP1251", "cp1251 xcp1251 win1251"),
        (
            "windows-1252", "CP1252",
            "ansix341968 ascii cp1252 cp819 csisolatin1 ibm819 iso88591 isoir100 iso885911987 l1 latin1 usascii xcp1252"
        ),
        ("windows-1253", "CP1253", "cp1253 xcp1253"),
        ("windows-1254", "CP1254", "cp1254 csisolatin5 iso88599 isoir148 iso885991989 l5 latin5 xcp1254"),
        ("windows-1255", "CP1255", "cp1255 xcp1255"),
        ("windows-1256", "CP1256", "cp1256 xcp1256"),
        ("windows-1257", "CP1257", "cp1257 xcp1257"),
        ("windows-1258", "CP1258", "cp1258 xcp1258"),
        ("x-mac-cyrillic", "MAC-UK", "xmacukrainian"),
    ]

    private static let manyBytes: [(name: String, systemName: String, labels: String)] = [
        ("UTF-8", "UTF-8", "unicode11utf8 unicode20utf8 xunicode20utf8"),
        ("GBK", "GB18030", "chinese csgb2312 csiso58gb231280 gb2312 gb231280 isoir58 xgbk cp936"),
        ("gb18030", "GB18030", ""),
        ("Big5", "BIG5-HKSCS", "big5hkscs cnbig5 csbig5 xxbig5 cp950"),
        ("EUC-JP", "EUC-JP-MS", "cseucpkdfmtjapanese xeucjp"),
        ("ISO-2022-JP", "ISO-2022-JP", "csiso2022jp"),
        ("Shift_JIS", "CP932", "csshiftjis ms932 mskanji sjis windows31j xsjis cp932"),
        (
            "EUC-KR", "UHC",
            "cseuckr csksc56011987 isoir149 korean ksc56011987 ksc56011989 ksc5601 windows949 uhc cp949"
        ),
        ("UTF-16BE", "UTF-16BE", "unicodefffe"),
        ("UTF-16LE", "UTF-16LE", "csunicode iso10646ucs2 ucs2 unicode unicodefeff utf16"),
    ]
}
