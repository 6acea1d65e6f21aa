import Testing

struct TokenizerTests {
    @Test(arguments: [
        ("a // b\nc", ["a", "c"]),
        ("a /* b /* c */ d */ e", ["a", "e"]),
        (#"f("print(1)") g"#, ["f", "(", ")", "g"]),
        (#"f("a \(b("c")) d") g"#, ["f", "(", "(", "b", "(", ")", ")", ")", "g"]),
        ("f(\"\"\"\n  \"quoted\" try!\n  \"\"\") g", ["f", "(", ")", "g"]),
        ("f(#\"a \" \\(b) \\#(c)\"#) g", ["f", "(", "(", "c", ")", ")", "g"]),
        ("@Test func `a try! in a name`()", ["@Test", "func", "`a try! in a name`", "(", ")"]),
        ("let a = \"\\\\\" + b", ["let", "a", "=", "+", "b"]),
    ])
    func `comments and strings are no code, interpolations are`(_ text: String, _ expected: [String]) {
        #expect(SourceFile(path: "a.swift", text: text).tokens.map(\.text) == expected)
    }

    @Test func `a token knows whether it is attached to the one before`() {
        let file = SourceFile(path: "a.swift", text: "try! a; try !b")
        #expect(file.tokens.map(\.isAttached) == [true, true, false, true, false, false, true])
    }

    @Test func `what a protocol asks for is known by name`() {
        let text = "protocol P {\n  func a(_ b: () -> Void)\n  var c: Int { get }\n}\nfunc d() {}\n"
        #expect(SourceFile(path: "a.swift", text: text).requirements == ["a"])
    }

    @Test func `a token knows its line`() {
        let file = SourceFile(path: "a.swift", text: "/*\n*/ \"\"\"\n\n\"\"\"\nlast")
        #expect(file.tokens == [Token(text: "last", line: 5)])
    }

    @Test func `a function without a body ends at the next declaration`() {
        let text = "protocol P {\n  func a(_ b: () -> Void = { })\n  func c()\n}\nfunc d() -> [Int] {\n  [1]\n}\n"
        let functions = SourceFile(path: "a.swift", text: text).functions
        #expect(functions.map(\.name) == ["d"])
        #expect(functions.map(\.lines) == [3])
    }
}
