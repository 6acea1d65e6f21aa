import Console
import Testing

/// Texts of others have no power over the terminal that shows them.
@Suite struct PrintableTests {
    @Test(arguments: [
        ("Seen it twice! 🎬 ąć\n\tok", "Seen it twice! 🎬 ąć\n\tok"),
        ("\u{1b}]0;owned\u{7}", "\\u{1b}]0;owned\\u{7}"),
        ("a\u{9b}2Jb", "a\\u{9b}2Jb"),
        ("line\rover", "line\\u{d}over"),
        ("abc\u{202e}cba", "abc\\u{202e}cba"),
        ("x\u{7f}\u{0}", "x\\u{7f}\\u{0}"),
    ])
    func `control characters are shown by their numbers`(_ text: String, _ shown: String) {
        #expect(text.printable == shown)
    }
}
