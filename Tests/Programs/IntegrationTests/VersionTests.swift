import Foundation
import JSON
import TestSupport
import Testing

/// The program says its version, for people and for programs.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct VersionTests {
    @Test func `the version says the commit, Swift, the libraries and the tables`() throws {
        let lines = try ServerProcess.run(["--version"]).output.split(separator: "\n").map(String.init)
        try #require(lines.count == 3, "\(lines)")
        let head = try #require(lines[0].wholeMatch(of: /watchwise (\S+) \(commit (\S+)\)/))
        #expect(head.1.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?/) != nil)
        #expect(head.2.wholeMatch(of: /[0-9a-f]{12}\+?|unknown/) != nil)
        let libraries = lines[1].split(separator: ", ").map { $0.split(separator: " ") }
        #expect(
            libraries.map { $0.first ?? "" }
                == ["Swift", "libuv", "OpenSSL", "SQLite", "libcurl", "zlib", "expat", "libnats", "jemalloc"])
        for library in libraries { #expect(library.last?.wholeMatch(of: /[0-9]+(\.[0-9]+)+/) != nil, "\(library)") }
        #expect(lines[2].wholeMatch(of: /database schema [0-9]+/) != nil)
    }

    @Test(arguments: [["--version", "--json"], ["--json", "--version"]])
    func `programs get the same as an object with members that stay`(_ arguments: [String]) throws {
        let ended = try ServerProcess.run(arguments)
        #expect(ended.status == 0)
        let object = try JSONValue(parsing: Array(ended.output.utf8))
        #expect(object.objectValue?.members.map(\.name) == ["version", "commit", "swift", "libraries", "schema"])
        let libraries = try #require(object["libraries"]?.objectValue).members
        #expect(
            libraries.map(\.name)
                == ["libuv", "openssl", "sqlite", "libcurl", "zlib", "expat", "libnats", "jemalloc"])
        let values = libraries.map { $0.value.stringValue ?? "" }
        let text = """
            watchwise \(object["version"]?.stringValue ?? "") (commit \(object["commit"]?.stringValue ?? ""))
            Swift \(object["swift"]?.stringValue ?? ""), libuv \(values[0]), OpenSSL \(values[1]), \
            SQLite \(values[2]), libcurl \(values[3]), zlib \(values[4]), expat \(values[5]), libnats \(values[6]), \
            jemalloc \(values[7])
            database schema \(object["schema"]?.integerValue ?? 0)

            """
        #expect(try ServerProcess.run(["--version"]).output == text)
    }

    @Test func `the package of the library for browsers and Node has the version of the program`() throws {
        let folder = TemporaryFolder()
        #expect(try ServerProcess.run(["sdk", folder.path]).status == 0)
        let package = try Data(contentsOf: URL(filePath: folder.path).appending(path: "package.json"))
        let program = try JSONValue(parsing: Array(ServerProcess.run(["--version", "--json"]).output.utf8))
        #expect(try JSONValue(parsing: Array(package))["version"] == program["version"])
        #expect(try JSONValue(parsing: Array(package))["engines"] == ["node": ">=22"], "the first with a WebSocket")
    }

    @Test func `another argument beside the two is refused as before`() throws {
        #expect(try ServerProcess.run(["--json"]).status == 2)
    }
}
