import ClientProtocol
import Demo
import Foundation
import Admin
import JSON
import Model
import Testing
import Wire

/// The pages of the demo, without a server.
struct DemoStageTests {
    private func stage() throws -> DemoStage {
        let anna = try #require(UserID("anna"))
        let english = try #require(LanguageTag("en"))
        return DemoStage(
            .init(name: "film-network", title: "WatchWise", panes: [(anna, nil)]),
            people: [.init(id: anna, name: "Anna", locale: english)]
        ) { "a token of \($0.text)" }
    }

    private func answer(_ method: String, _ target: String, _ field: String = "") throws -> HTTPResponse? {
        var (parser, events) = (HTTPRequestParser(), [HTTPRequestEvent]())
        parser.receive(Array("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(field)\r\n".utf8), into: &events)
        guard case .head(let head)? = events.first else { return nil }
        return try stage().response(to: head)
    }

    /// The files in the folder of the pages, by their places in it.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Programs/Demo/Pages").standardized

    private static let types = [
        "html": "text/html", "js": "text/javascript", "css": "text/css", "json": "application/json",
        "png": "image/png", "svg": "image/svg+xml",
    ]

    @Test func `every file of the folder is there, under its type, and forbids what is not its own`() throws {
        let found = FileManager.default.enumerator(atPath: Self.folder.path)?.compactMap { $0 as? String } ?? []
        let files = found.filter { $0.contains(".") && $0 != "page.html" }
        #expect(files.count > 20)
        for file in files {
            let response = try #require(try answer("GET", "/demo/\(file)"), "\(file)")
            let type = try #require(Self.types[String(file.split(separator: ".").last ?? "")], "\(file)")
            #expect(response.headers["Content-Type"]?.hasPrefix(type) == true, "\(file)")
            #expect(response.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true, "\(file)")
            #expect(response.body == Array(try Data(contentsOf: Self.folder.appending(path: file))), "\(file)")
        }
        #expect(try answer("GET", "/demo")?.headers["Content-Type"]?.hasPrefix("text/html") == true)
    }

    @Test func `a file that has not changed is not sent again`() throws {
        let first = try #require(try answer("GET", "/demo/shell/start.js"))
        let tag = try #require(first.headers["ETag"])
        let second = try #require(try answer("GET", "/demo/shell/start.js", "If-None-Match: \(tag)\r\n"))
        #expect(second.status == 304 && second.body.isEmpty && second.headers["ETag"] == tag)
        #expect(try answer("GET", "/demo/shell/start.js", "If-None-Match: \"other\"\r\n")?.status == 200)
    }

    @Test func `the service worker may serve the page, which is not in its folder`() throws {
        #expect(try answer("GET", "/demo/worker.js")?.headers["Service-Worker-Allowed"] == "/demo")
        #expect(try answer("GET", "/demo/shell/notify.js")?.headers["Service-Worker-Allowed"] == nil)
    }

    @Test func `an installed page opens as the user that installed it`() throws {
        let response = try #require(try answer("GET", "/demo/manifest.json?user=anna"))
        let manifest = try JSONValue(parsing: response.body)
        #expect(manifest["start_url"] == "../demo?user=anna" && manifest["display"] == "standalone")
        let icon = try #require(manifest["icons"]?.arrayValue?.first?["src"]?.stringValue)
        #expect(try answer("GET", "/demo/\(icon)")?.status == 200)
        let bitmap = try #require(manifest["icons"]?.arrayValue?.last?["src"]?.stringValue)
        #expect(try answer("GET", "/demo/\(bitmap)")?.body.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
        let other = try JSONValue(parsing: try #require(try answer("GET", "/demo/manifest.json?user=zed")).body)
        #expect(other["start_url"] == "../demo")
    }

    @Test func `every language has every text, with the same values, and forms for its plurals`() throws {
        let forms = [
            "en": ["one", "other"], "it": ["one", "other"], "de": ["one", "other"], "el": ["one", "other"],
            "pl": ["one", "few", "many", "other"],
        ]
        let english = try Self.texts("en")
        for (language, plurals) in forms {
            let own = try Self.texts(language)
            #expect(Set(own.keys) == Set(english.keys), "\(language)")
            for (key, text) in own {
                let counted = english[key]?.objectValue != nil
                #expect((text.objectValue != nil) == counted, "\(language): \(key)")
                if let object = text.objectValue {
                    #expect(Set(object.members.map(\.name)) == Set(plurals), "\(language): \(key)")
                }
                #expect(Self.values(text) == Self.values(english[key] ?? .null), "\(language): \(key)")
            }
        }
    }

    /// The texts of a language, by their keys.
    private static func texts(_ language: String) throws -> [String: JSONValue] {
        let bytes = Array(try Data(contentsOf: folder.appending(path: "words/\(language).json")))
        let members = try #require(try JSONValue(parsing: bytes).objectValue).members
        return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
    }

    /// The names in braces, of all forms of a text.
    private static func values(_ text: JSONValue) -> Set<String> {
        let forms = text.objectValue.map { $0.members.compactMap { $0.value.stringValue } } ?? [text.stringValue ?? ""]
        return Set(forms.flatMap { form in form.matches(of: /\{(\w+)\}/).map { String($0.1) } })
    }

    @Test func `every text that the pages name is there`() throws {
        let texts = try Self.texts("en")
        let found = FileManager.default.enumerator(atPath: Self.folder.path)?.compactMap { $0 as? String } ?? []
        var named = 0
        for file in found where file.hasSuffix(".js") {
            let code = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
            for match in code.matches(of: /\bt\("([\w.-]+)"/) {
                named += 1
                #expect(texts[String(match.1)] != nil, "\(file): \(match.1)")
            }
        }
        #expect(named > 100)
    }

    @Test func `a member of the cast gets a token at the only path that gives tokens away`() throws {
        let stage = try stage()
        #expect(stage.givesToken("/demo/session") && !stage.givesToken("/demo"))
        let response = try #require(try answer("GET", "/demo/session?user=anna"))
        let body = try JSONValue(parsing: response.body)
        #expect(body["token"] == "a token of anna" && body["user"] == "anna")
        #expect(throws: Refusal.self) { try answer("GET", "/demo/session?user=root") }
        #expect(throws: Refusal.self) { try answer("GET", "/demo/session") }
    }

    @Test func `the demo owns only its paths, and they can only be read`() throws {
        let stage = try stage()
        for path in ["/", "/favicon.ico", "/demo", "/demo/shell/start.js"] { #expect(stage.owns(path), "\(path)") }
        for path in ["/demos", "/v1/ws", "/metrics"] { #expect(!stage.owns(path), "\(path)") }
        #expect(try answer("POST", "/demo") == nil)
        #expect(try answer("GET", "/demo/nothing") == nil)
    }
}
