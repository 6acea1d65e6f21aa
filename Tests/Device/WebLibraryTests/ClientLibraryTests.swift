import ClientProtocol
import JSON
import Model
import Testing

@testable import WebLibrary

/// The library for browsers and Node, as `deploy/library` makes it from its sources.
@Suite struct ClientLibraryTests {
    private static func text(_ name: String) throws -> String {
        String(decoding: try #require(ClientLibrary.file(named: name)).bytes, as: UTF8.self)
    }

    @Test(arguments: ClientLibrary.modules.map(\.name))
    func `a module needs no other one to begin, and names its map`(name: String) throws {
        let module = try Self.text(name)
        #expect(!module.contains("import{") && !module.contains("}from\""))
        #expect(module.hasSuffix("//# sourceMappingURL=\(name).map\n"))
        #expect(ClientLibrary.file(named: name + ".map") != nil)
    }

    @Test func `a module that is loaded later is there`() throws {
        for (name, parts) in [
            ("watchwise.js", ["push", "streams", "sqlite"]), ("watchwise-live.js", ["streams"]),
            (
                "watchwise-elements.js",
                ["words-ar", "words-de", "words-el", "words-en", "words-it", "words-pl", "words-tr"]
            ),
        ] {
            let module = try Self.text(name)
            for part in parts {
                #expect(module.contains("import(\"./watchwise-\(part).js\")"), "\(name)")
                #expect(ClientLibrary.file(named: "watchwise-\(part).js") != nil)
            }
        }
    }

    @Test func `React Native's module imports nothing and asks for no address of its own`() throws {
        let module = try Self.text("watchwise-native.js")
        #expect(!module.contains("import(") && !module.contains("import.meta"))
    }

    @Test func `the types name each command, each answer and each event, and the library passes them on`() throws {
        let types = try Self.text("watchwise-protocol.d.ts")
        let parts = types.split(separator: "export interface ")
        #expect(parts.count == 4)
        for type in CommandTable.types {
            let property = type.name.contains(".") ? "\n  \"\(type.name)\": " : "\n  \(type.name): "
            #expect(parts[1].contains(property) && parts[2].contains(property), "\(type.name)")
        }
        for name in EventName.allCases {
            let property = name.rawValue.contains(".") ? "\n  \"\(name.rawValue)\": " : "\n  \(name.rawValue): "
            #expect(parts[3].contains(property), "\(name)")
        }
        #expect(try Self.text("watchwise.d.ts").contains("export * from \"./watchwise-protocol.js\";"))
    }

    @Test func `each source is there under its name, with the license`() throws {
        #expect(try Self.text("src/core.js").contains("export class Core {"))
        #expect(try Self.text("LICENSE").contains("Apache License"))
        #expect(ClientLibrary.file(named: "made-from.txt") == nil)
        let names = ClientLibrary.files.map(\.name)
        #expect(names == names.sorted() && Set(names).count == names.count)
    }

    @Test func `the package names files that are there, and its repository when it has one`() {
        let package = PackageDescription.value(version: "1.2.3", repository: "https://git.example.org/w.git")
        let text = String(decoding: package.bytes, as: UTF8.self)
        let named = text.split(separator: "\"").filter { $0.hasPrefix("./watchwise") }
        #expect(named.count > 10)
        for name in named { #expect(ClientLibrary.file(named: String(name.dropFirst(2))) != nil, "\(name)") }
        #expect(package["version"] == "1.2.3" && package["repository"]?["url"] == "https://git.example.org/w.git")
        #expect(PackageDescription.value(version: "1", repository: nil)["repository"] == nil)
    }
}
