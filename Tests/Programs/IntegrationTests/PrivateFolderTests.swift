import Foundation
import JSON
import TestSupport
import Testing

/// Other users of the machine can read nothing in the server's folder, whatever the umask and the maker of the folder.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct PrivateFolderTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }

    /// Files below the folder that others than their owner may use, each with its mode.
    private func open(in folder: String) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!files.isEmpty)
        return files.compactMap { name in
            let mode = TemporaryFolder.permissions(of: folder + "/" + name) ?? 0o777
            return mode == 0o600 ? nil : "\(name) \(String(mode, radix: 8))"
        }
    }

    private func makeFolder(_ path: String, mode: Int) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(arguments: ["000", "022"])
    func `every file is for its owner alone, whatever the umask, and a folder that others may enter is closed`(
        _ umask: String
    ) throws {
        try makeFolder(data, mode: 0o755)
        let server = try ServerProcess(data: data, umask: umask)
        #expect(TemporaryFolder.permissions(of: data) == 0o700)
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", data]
        let put = try ServerProcess.run(["put", "products/1", #"{"title": "The Matrix"}"#] + there, umask: umask)
        #expect(put.status == 0, "\(put.errors)")
        #expect(try ServerProcess.run(["webhooks", "secret", "--data", data], umask: umask).status == 0)
        #expect(FileManager.default.fileExists(atPath: data + "/watchwise.db-wal"))
        #expect(try open(in: data) == [])

        let backups = folder.path + "/backups"
        try makeFolder(backups, mode: 0o755)
        let backup = backups + "/today.db"
        #expect(try ServerProcess.run(["backup", backup] + there, umask: umask).status == 0)
        #expect(try open(in: backups) == [])
        server.signal(SIGTERM)
        #expect(server.wait() == 0)

        let restored = folder.path + "/restored"
        try makeFolder(restored, mode: 0o755)
        let done = try ServerProcess.run(["restore", backup, "--data", restored], umask: umask)
        #expect(done.status == 0, "\(done.errors)")
        #expect(TemporaryFolder.permissions(of: restored) == 0o700)
        #expect(try open(in: restored) == [])
    }

    @Test func `files that an earlier version left open to others are closed`() throws {
        var server = try ServerProcess(data: data)
        server.signal(SIGKILL)
        _ = server.wait()
        for name in try FileManager.default.contentsOfDirectory(atPath: data) where name != "secret" {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: data + "/" + name)
        }
        server = try ServerProcess(data: data)
        #expect(try open(in: data) == [])
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }

    @Test func `a folder with other things that others may enter is refused, and the error says what to do`() throws {
        try makeFolder(data, mode: 0o755)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: data + "/letter.txt"))
        let ended = try ServerProcess.run(["serve", "--listen", "nowhere:0", "--data", data])
        #expect(ended.status != 0)
        let refused = try ServerProcess.run(["restore", "/etc/hostname", "--data", data])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("other users can open") && refused.errors.contains("chmod 700"))
        #expect(TemporaryFolder.permissions(of: data) == 0o755)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data) == ["letter.txt"])
    }
}
