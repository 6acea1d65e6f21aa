import Foundation
import TestSupport
import Testing

/// TLS from an operator's view: certificate, reload, refusals. The other end is the `openssl` command line.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"),
    .enabled(if: OpenSSL.isThere, "the openssl command line is not there")
)
struct EncryptionTests {
    let folder = TemporaryFolder()

    private var files: [String] {
        ["--tls-certificate", folder.path + "/server.pem", "--tls-key", folder.path + "/server.key"]
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `the server speaks over TLS`(version: String) throws {
        let server = try start(named: "first")
        let client = try OpenSSL(port: server.port, [version])
        client.say("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(client.rest().contains("HTTP/1.1 200 OK"))
    }

    @Test func `an older version and a client without TLS are turned away`() throws {
        let server = try start(named: "first")
        #expect(try OpenSSL(port: server.port, ["-tls1_1"]).rest().contains("HTTP") == false)
        #expect(throws: (any Error).self) { _ = try HTTPPeer(port: server.port).request("GET", "/healthz") }
    }

    @Test func `the certificate's name is the server's, and its own pages have the scheme https`() throws {
        let server = try start(named: "films.example")
        func first(_ target: String, _ fields: String) throws -> String {
            let client = try OpenSSL(port: server.port, [])
            client.say("GET \(target) HTTP/1.1\r\n\(fields)\r\n")
            return client.hear(upTo: "\r\n")
        }
        #expect(try first("/metrics", "Host: films.example\r\n").contains(" 401 "))
        #expect(try first("/metrics", "Host: 127.0.0.1\r\n").contains(" 200 "))
        #expect(try first("/metrics", "Host: evil.example\r\n").contains(" 421 "))
        let upgrade =
            "Host: films.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        #expect(try first("/v1/ws", upgrade + "Origin: https://films.example\r\n").contains(" 101 "))
        #expect(try first("/v1/ws", upgrade + "Origin: http://films.example\r\n").contains(" 403 "))
        #expect(try first("/v1/ws", upgrade + "Origin: ws://films.example\r\n").contains(" 403 "))
    }

    @Test func `SIGHUP brings a new certificate to new connections and leaves the old ones alone`() throws {
        let server = try start(named: "first")
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let standing = try OpenSSL(port: server.port, [])
        standing.say(request)
        #expect(standing.hear("HTTP/1.1 200 OK"))
        #expect(try OpenSSL.subject(port: server.port).contains("first"))

        try OpenSSL.certificate(named: "second", in: folder.path)
        server.signal(SIGHUP)
        try waitUntil { try OpenSSL.subject(port: server.port).contains("second") }
        standing.say(request)
        #expect(standing.hear("HTTP/1.1 200 OK"))

        // Unusable files change nothing.
        try Data("nothing\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/server.pem"))
        server.signal(SIGHUP)
        Thread.sleep(forTimeInterval: 0.3)
        #expect(try OpenSSL.subject(port: server.port).contains("second"))
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        #expect(standing.rest().contains("HTTP") == false)
    }

    @Test func `files that do not serve end the start with 2 and are named`() throws {
        try OpenSSL.certificate(named: "first", in: folder.path)
        try Data("nothing\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/server.key"))
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", folder.path + "/data"]
        let ended = try ServerProcess.run(arguments + files)
        #expect(ended.status == 2)
        #expect(ended.output.isEmpty)
        #expect(ended.errors.contains(folder.path + "/server.key is not a private key"))
        let half = try ServerProcess.run(arguments + files.prefix(2))
        #expect(half.status == 2)
        #expect(half.errors.contains("--tls-key is required with"))
    }

    @Test func `a handshake that never ends is ended within ten seconds, and delays nobody`() throws {
        let server = try start(named: "first")
        let began = Date()
        let sleeper = try OpenSSL.raw(port: server.port)
        #expect(try OpenSSL.subject(port: server.port).contains("first"))
        #expect(Date().timeIntervalSince(began) < 5)
        sleeper.waitUntilExit()
        #expect((8...10.5).contains(Date().timeIntervalSince(began)))
    }

    private func start(named name: String) throws -> ServerProcess {
        try OpenSSL.certificate(named: name, in: folder.path)
        return try ServerProcess(data: folder.path + "/data", arguments: ["--listen", "127.0.0.1:0"] + files)
    }

    private func waitUntil(_ condition: () throws -> Bool) throws {
        for _ in 0..<50 {
            if try condition() { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
        Issue.record("it did not come about within five seconds")
    }
}

/// The `openssl` command line as a client.
/// - Confinement: one thread at a time
private final class OpenSSL {
    static let isThere = (try? run(["version"])) != nil

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Connects.
    init(port: UInt16, _ options: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(port)"] + options
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    func say(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// Reads until a text has arrived; false at the end.
    func hear(_ wanted: String) -> Bool { hear(upTo: wanted).contains(wanted) }

    /// Reads until a text has arrived, or to the end.
    func hear(upTo wanted: String) -> String {
        var text = ""
        while !text.contains(wanted) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return text }
            text += String(decoding: more, as: UTF8.self)
        }
        return text
    }

    /// Everything up to the end.
    func rest() -> String {
        String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// The subject of the server's certificate.
    static func subject(port: UInt16) throws -> String {
        try run(["s_client", "-connect", "127.0.0.1:\(port)"]).split(separator: "\n").first { $0.hasPrefix("subject=") }
            .map(String.init) ?? ""
    }

    /// A connection that sends two bytes of a handshake and waits for its end.
    static func raw(port: UInt16) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\\x16\\x03' >&3; cat <&3 >/dev/null"]
        try process.run()
        return process
    }

    static func certificate(named name: String, in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try run(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
                + ["-keyout", folder + "/server.key", "-out", folder + "/server.pem", "-subj", "/CN=\(name)"]
        )
    }

    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self)
    }
}
