import Foundation
import JSON
import TestSupport
import Testing

/// An operator runs commands as root on the folder of the user that runs the server, as `deploy/README.md` says it. Then the
/// server goes on, reads what has changed, and starts again.
@Suite(
    .serialized, .enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"),
    .enabled(if: ServerProcess.canBeAnother, "only root can run the server as another user"))
struct RootCommandTests {
    private static let user = 61234
    private let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.setAttributes(
            [.ownerAccountID: Self.user, .groupOwnerAccountID: Self.user], ofItemAtPath: data)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    }

    /// Files of the folder that do not belong to its owner, with the ids that they have.
    private func strangers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: data).compactMap { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: data + "/" + name)
            let ids = [attributes[.ownerAccountID], attributes[.groupOwnerAccountID]].map {
                ($0 as? NSNumber)?.intValue
            }
            return ids == [Self.user, Self.user] ? nil : "\(name) \(ids)"
        }
    }

    /// Runs a command as root, and looks whose its files are.
    @discardableResult
    private func root(_ words: [String]) throws -> ServerProcess.Ended {
        let ended = try ServerProcess.run(words + ["--data", data])
        #expect(ended.status == 0, "\(words): \(ended.errors)")
        #expect(try strangers() == [], "after \(words)")
        return ended
    }

    private func stop(_ server: ServerProcess) {
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }

    /// The status of a command of root's, which signs its token with the secret of the folder.
    private func answers(_ server: ServerProcess) throws -> Bool {
        try ServerProcess.run(["stats", "--data", data, "--server", "http://127.0.0.1:\(server.port)"]).status == 0
    }

    private func serve(_ more: [String] = []) throws -> ServerProcess {
        try ServerProcess(data: data, arguments: ["--listen", "127.0.0.1:0"] + more, as: Self.user)
    }

    @Test func `secrets that root turns are read at SIGHUP and at the next start`() throws {
        var server = try serve()
        try root(["secret", "rotate"])
        server.signal(SIGHUP)
        for _ in 0..<100 where try !answers(server) { Thread.sleep(forTimeInterval: 0.05) }
        #expect(try answers(server))
        try root(["webhooks", "secret"])
        try root(["webhooks", "secret", "--rotate"])
        try root(["webhooks", "secret", "--retire"])
        try root(["secret", "rotate", "--end"])
        stop(server)
        server = try serve()
        #expect(try answers(server))
        stop(server)
    }

    @Test func `a backup that root restores is served, with every file beside it`() throws {
        var server = try serve()
        let there = ["--server", "http://127.0.0.1:\(server.port)"]
        try root(["put", "films/1", #"{"name": "Roma"}"#] + there)
        try root(["user", "invite", "alice"] + there)
        let backup = folder.path + "/backup.db"
        try root(["backup", backup] + there)
        try root(["user", "erase", "alice", "--yes", "--wait"] + there)
        stop(server)
        // Alice is erased again, so the command opens the whole server.
        try root(["restore", backup, "--force"])
        server = try serve()
        #expect(try answers(server))
        let again = ["--server", "http://127.0.0.1:\(server.port)"]
        #expect(try root(["get", "films/1"] + again).output.contains("version 1"))
        stop(server)
        // Into the folder when the server had never been started there.
        for name in try FileManager.default.contentsOfDirectory(atPath: data) {
            try FileManager.default.removeItem(atPath: data + "/" + name)
        }
        try root(["restore", backup])
        server = try serve()
        #expect(try answers(server))
        stop(server)
    }

    @Test func `the key of Web Push that root turns is served`() throws {
        let server = try serve(["--push-contact", "mailto:a@example.org"])
        try root(["push", "key", "--rotate"])
        stop(server)
        let next = try serve(["--push-contact", "mailto:a@example.org"])
        #expect(try answers(next))
        stop(next)
    }

    @Test(.enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
    func `the first node of a cluster that root makes is served`() throws {
        let nats = try NATSServers()
        let journal = ["--journal", nats.addresses[0]]
        try root(["cluster", "init", "--replicas", "1", "--max-bytes", "64MiB"] + journal)
        let server = try serve(journal + ["--node", "a"])
        for _ in 0..<100 where try !answers(server) { Thread.sleep(forTimeInterval: 0.05) }
        #expect(try answers(server))
        stop(server)
        #expect(try strangers() == [])
    }

    @Test func `a folder that root served by mistake can be served by its owner afterwards`() throws {
        let mistaken = try ServerProcess(data: data)
        #expect(try answers(mistaken))
        stop(mistaken)
        #expect(try strangers() == [])
        let killed = try ServerProcess(data: data)
        killed.signal(SIGKILL)
        _ = killed.wait()
        #expect(try strangers() == [])
        let server = try serve()
        #expect(try answers(server))
        stop(server)
    }

    @Test(.enabled(if: Certificates.made != nil, "\(Certificates.isMissing)"))
    func
        `a certificate and keys of root that the server's group may read are served, and read again when the hook has renewed them`()
        throws
    {
        let made = try #require(Certificates.made)
        let place = folder.path + "/etc"
        /// The lines of `deploy/README.md`.
        func install(_ arguments: String) throws {
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", "install -g \(Self.user) \(arguments)"]
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0)
        }
        func renew(_ name: String) throws {
            try install("-m 640 \(made.certificate(name)) \(place)/chain.pem")
            try install("-m 640 \(made.key(name)) \(place)/key.pem")
        }
        try install("-d -m 750 \(place)")
        try renew("expired")
        let options = ["--tls-certificate", place + "/chain.pem", "--tls-key", place + "/key.pem"]
        let log = folder.path + "/log"
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let server = try ServerProcess(
            ["serve", "--data", data, "--listen", "127.0.0.1:0"] + options, lines: 1, as: Self.user,
            errors: #require(FileHandle(forWritingAtPath: log)))
        func says(_ sentence: String) throws -> Bool {
            for _ in 0..<200 {
                if try String(contentsOfFile: log, encoding: .utf8).contains(sentence) { return true }
                Thread.sleep(forTimeInterval: 0.05)
            }
            return false
        }
        #expect(try says("the TLS certificate has expired"))
        try renew("ec")
        server.signal(SIGHUP)
        #expect(try says("reloaded the TLS certificate"))
        stop(server)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place + "/key.pem")
        #expect(throws: (any Error).self, "it must not be readable by others than root") { try serve(options) }
    }

    @Test func `root restores nothing over a link that the folder's owner has made`() throws {
        let other = folder.path + "/other.db"
        try Data("not a database".utf8).write(to: URL(fileURLWithPath: other))
        try FileManager.default.createSymbolicLink(atPath: data + "/watchwise.copy", withDestinationPath: other)
        let ended = try ServerProcess.run(["restore", other, "--data", data])
        #expect(ended.status == 1 && ended.errors.contains("is a symbolic link"), "\(ended.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data("not a database".utf8))
    }
}
