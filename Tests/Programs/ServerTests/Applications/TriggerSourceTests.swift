import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// The trigger table of a new folder.
struct TriggerSourceTests {
    private func names(_ server: TestServer) throws -> [String] {
        try server.admin().call("GET", "/v1/triggers").json()["triggers"]?.arrayValue?.texts("name") ?? []
    }

    private func server(in folder: TemporaryFolder = TemporaryFolder(), _ triggers: [TriggerSource]?) throws
        -> TestServer
    {
        try TestServer(in: folder) { $0.triggers = triggers }
    }

    @Test(arguments: ReadyApplication.allCases)
    func `a ready application begins with its own rows and rules`(application: ReadyApplication) throws {
        let configured = try ConfigurationLayers(file: application.configuration).configuration()
        let server = try TestServer { configuration in
            configuration.triggers = configured.triggers
            configuration.rules = configured.rules
        }
        defer { server.application.stop() }
        #expect(try !names(server).isEmpty)
        #expect(try server.admin().call("GET", "/v1/rules").json()["rules"]?.objectValue?.isEmpty == false)
    }

    @Test func `a folder begins with the configured triggers, or without any, and keeps its own later`()
        throws
    {
        let film = try server([.ready(.filmNetwork)])
        defer { film.application.stop() }
        #expect(try names(film).contains("director-release"))
        let bare = try server(nil)
        defer { bare.application.stop() }
        #expect(try names(bare) == [])
        let none = try server([])
        defer { none.application.stop() }
        #expect(try names(none) == [])
        let folder = TemporaryFolder()
        let first = try server(in: folder, [.ready(.announcements)])
        first.application.stop()
        let again = try server(in: folder, [.ready(.filmNetwork)])
        defer { again.application.stop() }
        #expect(try names(again) == ["announcement"])
    }

    @Test func `a file of rows is read, and a bad one is named with its row and column, and nothing is kept`() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let path = folder.path + "/rows.json"
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        let source = try #require(TriggerSource(path))
        for (text, says) in [
            ("[", "rows.json"), (#"[{"name": "a"}]"#, "a: event"),
            (
                #"[{"name": "b", "event": "write", "path": "x/{x}", "audience": "everyone", "title": "t", "condition": "y"}]"#,
                "b: condition: no such column: y"
            ),
        ] {
            try write(text)
            let problem = #expect(throws: StartProblem.self) { try server(in: folder, [source]) }
            #expect(problem?.isConfiguration == true)
            #expect(problem?.description.contains(says) == true, "\(String(describing: problem))")
        }
        try write(#"{"name": "c", "event": "write", "path": "x/{x}", "audience": "everyone", "title": "t"}"#)
        let begun = try server(in: folder, [source])
        defer { begun.application.stop() }
        #expect(try names(begun) == ["c"])
        #expect(TriggerSource("air-qualty") == nil)
    }
}
