import Console
import Testing

/// Letters in the columns of a terminal.
@Suite struct ColumnsTests {
    @Test(arguments: [
        ("abc", 3), ("", 0), ("日本", 4), ("한국", 4), ("ｶﾅ", 2), ("（）", 4), ("e\u{301}", 1), ("é", 1), ("שלום", 4),
        ("ก็", 1), ("🎬", 2), ("❤️", 2), ("👩‍👩‍👧", 2), ("🇮🇹", 2), ("a\u{200b}b", 2), ("हि", 2), ("स्क", 2), ("👍🏽", 2), ("…", 1),
    ])
    func `a letter takes as many columns as a terminal gives it`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test func `a text is cut at a letter, and the mark of the cut takes a column`() {
        #expect("abcdef".fitted(into: 6) == "abcdef")
        #expect("abcdefg".fitted(into: 6) == "abcde…")
        #expect("日本語日本".fitted(into: 6) == "日本…")
        #expect("日本語".fitted(into: 6) == "日本語")
        #expect("e\u{301}e\u{301}e\u{301}".fitted(into: 2) == "e\u{301}…")
    }

    @Test func `lines break between words, between wide letters, and within a word that is too long`() {
        #expect("one two three".lines(of: 7) == ["one two", "three"])
        #expect("one two three".lines(of: 8) == ["one two", "three"])
        #expect("abcdefghij".lines(of: 4) == ["abcd", "efgh", "ij"])
        #expect("日本語を話す".lines(of: 5) == ["日本", "語を", "話す"])
        #expect("a\n\nb".lines(of: 9) == ["a", "", "b"])
        #expect("  indented".lines(of: 20) == ["  indented"])
        #expect("".lines(of: 5) == [""])
    }
}

/// Notifications as a phone shows them.
@Suite struct NotificationBoxTests {
    @Test(arguments: [
        ("Back at ten", "We change a disk."),
        ("Torniamo alle dieci", String(repeating: "Cambiamo un disco rigido, e intanto niente va. ", count: 9)),
        ("十時に戻ります", String(repeating: "ディスクを交換しています。", count: 30)),
        ("نعود في العاشرة", String(repeating: "نستبدل القرص الآن، ", count: 20)),
        ("दस बजे लौटेंगे", String(repeating: "हम डिस्क बदल रहे हैं। ", count: 20)),
        (String(repeating: "🎬", count: 90), "\u{1b}[2J\t."),
        ("", "a text alone"), ("two\nlines", ""),
    ])
    func `all lines are equally wide, and there are at most a title and four lines of text`(title: String, body: String)
    {
        let lines = NotificationBox(title: title, body: body).lines
        #expect(Set(lines.map(\.columns)) == [48], "\(lines)")
        #expect((3...7).contains(lines.count))
        #expect(!lines.joined().contains("\u{1b}"))
    }

    @Test func `a text that is longer than the screen ends with a mark, and one that fits does not`() {
        let long = NotificationBox(
            title: String(repeating: "t", count: 45), body: String(repeating: "word ", count: 60))
        #expect(long.isCut && long.lines[1].contains("t…") && long.lines[5].contains("…") && long.lines.count == 7)
        let fitting = NotificationBox(
            title: String(repeating: "t", count: 44), body: String(repeating: "b", count: 176))
        #expect(!fitting.isCut && fitting.lines.count == 7 && !fitting.lines.joined().contains("…"))
    }
}
