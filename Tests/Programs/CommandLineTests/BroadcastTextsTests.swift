import JSON
import Testing

@testable import watchwise

/// Texts of `watchwise broadcast`, before they are sent.
@Suite struct BroadcastTextsTests {
    private func texts(_ arguments: [String], _ argument: String? = nil, _ option: String = "--title") throws
        -> BroadcastTexts
    {
        try BroadcastTexts(arguments, besides: argument, option: option)
    }

    private func refusal(_ body: () throws -> Void) throws -> String {
        let failure = try #require(#expect(throws: CommandFailure.self) { try body() })
        #expect(failure.status == .misused)
        return failure.description
    }

    @Test func `a text without a language is for all, and English beside others`() throws {
        #expect(try texts([], "Hello").json == "Hello")
        #expect(try texts(["it=Ciao"], "Hello").json == ["it": "Ciao", "en": "Hello"])
        #expect(try texts(["pt_BR=Oi", "zh-hant-tw=你好"]).json == ["pt-BR": "Oi", "zh-Hant-TW": "你好"])
        #expect(try texts(["E=mc2"]).json == "E=mc2")
    }

    @Test(arguments: [
        ("xx_YY=Hi", "language 'xx'"), ("qq=Hi", "language 'qq'"), ("it-YY=Hi", "region 'YY'"),
        ("en_XX=a", "region 'XX'"),
    ])
    func `a language or a region that does not exist is refused`(text: String, part: String) throws {
        #expect(try refusal { _ = try texts([text]) }.contains("there is no \(part)"))
    }

    @Test(arguments: ["it=a", "it-CH=a", "es-419=a", "zh-Hant=a", "fil=a", "sr-Latn-RS=a", "iw=a"])
    func `a language that exists is taken`(text: String) throws {
        #expect(try texts([text]).byLanguage.count == 1)
    }

    @Test func `a language twice, and two texts without one, are refused`() throws {
        #expect(try refusal { _ = try texts(["it=a", "it=b"]) }.contains("twice for it"))
        #expect(try refusal { _ = try texts(["a", "b"]) }.contains("twice without a language"))
        #expect(try refusal { _ = try texts(["a"], "b") }.contains("twice without a language"))
    }

    @Test(arguments: [
        ([], ["it=Corpo"], "--title for it"), (["it=Ciao"], ["it=Corpo"], "--body for en"),
        (["it=Ciao", "ar=مرحبا"], ["it=Corpo", "Body"], "--body for ar"), (["it=Ciao"], ["Body"], "--body for it"),
    ])
    func `a body comes in the languages of the title`(titles: [String], bodies: [String], missing: String) throws {
        let title = try texts(titles, "Hello")
        let body = try texts(bodies, nil, "--body")
        #expect(try refusal { try body.check(against: title) }.contains("there is no \(missing)"))
    }

    @Test func `a body in the same languages, one text for all, and no body are taken`() throws {
        try texts(["it=b", "c"], nil, "--body").check(against: texts(["it=a"], "A"))
        try texts(["it=b", "en=c"], nil, "--body").check(against: texts(["it=a"], "A"))
        try texts(["b"], nil, "--body").check(against: texts([], "A"))
        try texts([], nil, "--body").check(against: texts(["it=a"], "A"))
    }

    @Test(arguments: [
        ("lst", "list"), ("lits", "list"), ("shwo", "show"), ("cancle", "cancel"), ("ls", "list"), ("delete", "cancel"),
        ("Sold", nil), ("hello", nil), ("list now", nil), ("news", nil),
    ])
    func `a word like a command is a mistyped command`(word: String, command: String?) {
        #expect(BroadcastWord.command(meantBy: word) == command)
    }
}
