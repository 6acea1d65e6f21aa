import Searching
import TestSupport
import Testing

struct FoldedTextTests {
    private func words(_ text: String) -> [String] { FoldedText(text).words.map(\.text) }

    @Test(arguments: [
        ("Λάμψη", "λαμψη"), ("ΛΑΜΨΗ", "λαμψη"), ("ΣΚΟΤΕΙΝΟΣ", "σκοτεινοσ"), ("σκοτεινός", "σκοτεινοσ"),
        ("Łódź", "lodz"), ("źdźbło", "zdzblo"), ("ZAŻÓŁĆ", "zazolc"), ("perché", "perche"), ("Straße", "strasse"),
        ("STRASSE", "strasse"), ("Ærø", "aero"), ("œuvre", "oeuvre"), ("Đỗ", "do"), ("İstanbul", "istanbul"),
        ("ısı", "isi"), ("ﬁlm", "film"), ("𝓗𝓮𝓵𝓵𝓸", "hello"), ("Ｆｕｌｌ", "full"), ("Привет", "привет"), ("й", "и"),
        ("don't", "don t"), ("l’amico", "l amico"), ("a-b_c", "a b c"), ("映画を見た", "映 画 を 見 た"),
        ("ガッツ", "カ ッ ツ"), ("ｶﾞｯﾂ", "カ ッ ツ"), ("가나", "가 나"), ("see🎬it", "see 🎬 it"), ("👍🏽", "👍"),
        ("２００１年", "2001 年"), ("sci\u{AD}fi", "scifi"), ("  ", ""), ("", ""), ("…!?", ""), ("ไทย", "ไ ท ย"),
        ("ქართული", "ქართული"),
    ])
    func `a text becomes its plain words`(text: String, folded: String) {
        #expect(FoldedText(text).text == folded)
    }

    @Test func `folding a folded text changes nothing, for every character`() {
        for value in (0 as UInt32)..<0x3_1400 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let once = FoldedText(String(Character(scalar))).text
            let twice = FoldedText(once).text
            if once != twice { Issue.record("U+\(String(value, radix: 16)): '\(once)' becomes '\(twice)'") }
        }
    }

    @Test func `the words of random texts stand where they say, and fold to themselves`() {
        var random = SeededRandom(seed: 1)
        let letters = Array("aZ9 é\u{301}ßŁσς映画カﾞ가🎬👨‍👩‍👧 '.-_\"“ﬁ㎏\u{200D}İ".unicodeScalars)
        for _ in 0..<3000 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                view.append(letters[Int.random(in: 0..<letters.count, using: &random)])
            }
            let text = String(view)
            let folded = FoldedText(text)
            #expect(FoldedText(folded.text).text == folded.text)
            let units = Array(text.utf16)
            var last = 0
            for word in folded.words {
                #expect(word.start < word.end && word.end <= units.count && word.start >= last - 1)
                last = word.end
                let part = String(decoding: units[word.start..<word.end], as: UTF16.self)
                #expect(words(part).contains(word.text), "\(word) of \(text)")
            }
        }
    }

    @Test func `places count UTF-16 code units`() {
        let words = FoldedText("🎬 Λάμψη ﬁ").words
        #expect(words.map(\.start) == [0, 3, 9] && words.map(\.end) == [2, 8, 11 - 1])
    }
}
