import Model
import Testing

/// Whether a text shows anything.
struct ShownTextTests {
    @Test(arguments: [
        "", " ", "\t\r\n", "\u{200b}", "\u{a0}\u{2003}\u{3000}", "\u{0}\u{1b}", "\u{202e}\u{2066}", "\u{feff}",
        "\u{3164}", "\u{115f}\u{1160}", "\u{2800}", "\u{fe0f}", "\u{ad}", "\u{2028}\u{2029}", "\u{200d}\u{200c}",
        "\u{e0020}", "\u{180e}", "\u{34f}",
    ])
    func `blanks, control characters and characters without a picture show nothing`(text: String) {
        #expect(!ShownText.isVisible(text))
    }

    @Test(arguments: ["a", " . ", "\u{200b}x", "é", "文", "🎬", "❤️", "1️⃣", "نیمه‌شب", "\u{2801}", "₿", "\u{301}"])
    func `every other text shows something`(text: String) {
        #expect(ShownText.isVisible(text))
    }
}
