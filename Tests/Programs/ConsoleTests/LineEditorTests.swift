import Console
import Testing

/// The line at the bottom of a terminal.
@Suite struct LineEditorTests {
    private static func type(_ text: String, into editor: inout LineEditor) -> [LineEditor.Outcome] {
        text.utf8.compactMap { editor.take($0) }.filter { $0 != .changed }
    }

    @Test(arguments: [
        ("ciao\n", "ciao"),
        ("ciax\u{7f}o\n", "ciao"),
        ("ąćé\u{7f}\u{7f}x\n", "ąx"),
        ("🎬🎬\u{8}!\n", "🎬!"),
        ("send to=bob  \u{17}x\n", "send x"),
        ("gone\u{15}here\n", "here"),
        ("a\u{1}b\u{1b}[3~c\u{1b}[1;5Cd\r", "abcd"),
        ("\u{7f}\u{17}\n", ""),
    ])
    func `keys edit the line`(_ keys: String, _ line: String) {
        var editor = LineEditor()
        #expect(Self.type(keys, into: &editor) == [.line(line)])
        #expect(editor.text == "")
    }

    @Test func `arrows bring earlier lines back, once each`() {
        var editor = LineEditor()
        _ = Self.type("one\ntwo\ntwo\n", into: &editor)
        _ = Self.type("\u{1b}[A", into: &editor)
        #expect(editor.text == "two")
        _ = Self.type("\u{1b}[A\u{1b}[A", into: &editor)
        #expect(editor.text == "one")
        _ = Self.type("\u{1b}OB\u{1b}OB\u{1b}OB", into: &editor)
        #expect(editor.text == "")
        #expect(Self.type("\u{1b}[A!\n", into: &editor) == [.line("two!")])
    }

    @Test func `control and D end an empty line alone`() {
        var editor = LineEditor()
        #expect(Self.type("x\u{4}", into: &editor) == [])
        #expect(Self.type("\u{15}\u{4}", into: &editor) == [.end])
    }

    @Test func `a letter is shown when all of its bytes are there`() {
        var editor = LineEditor()
        let bytes = Array("é".utf8)
        #expect(editor.take(bytes[0]) == nil)
        #expect(editor.take(bytes[1]) == .changed)
        #expect(editor.text == "é")
    }
}
