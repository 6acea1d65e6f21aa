import Foundation
import JSON
import TestSupport
import Testing

/// The files that `watchwise cluster nats-conf` writes, with real servers, as `deploy/README.md` uses them.
@Suite(
    .serialized, .enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"),
    .enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"),
    .enabled(if: TestAuthority.made != nil, "there is no openssl"))
struct JournalPageTests {
    private let folder = TemporaryFolder()
    private var files: String { folder.path + "/nats" }

    /// Writes the files for three servers of this machine, each at an address of its own.
    private func write(_ more: [String] = []) throws -> ServerProcess.Ended {
        let servers = (1...3).flatMap { ["--server", "n\($0)=127.0.0.\($0)"] }
        return try ServerProcess.run(["cluster", "nats-conf", files] + servers + more)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(files)/\(name)", encoding: .utf8)
    }

    private static func run(_ program: String, _ words: [String] = []) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = words
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test func `the written files make a cluster of servers, and let no stranger in`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../deploy/README.md")
        let shown = try String(contentsOf: page, encoding: .utf8)
        #expect(
            shown.contains(
                "# watchwise cluster nats-conf nats --server n1=10.0.0.1 --server n2=10.0.0.2 --server n3=10.0.0.3"))
        let ports = NATSServers.freePorts(6)
        let made = try write(
            ["--etc", files, "--store", "\(folder.path)/store", "--store-max", "1GB", "--port", "\(ports[0])"]
                + ["--monitor-port", "\(ports[1])", "--route-port", "\(ports[2])"])
        #expect(made.status == 0, "\(made.errors)")
        #expect(try Self.run("/bin/sh", ["\(files)/certificates.sh"]) == 0)
        let texts = try (1...3).map { try text("n\($0).conf").replacing("/store\"", with: "/store\($0)\"") }
        let nats = try NATSServers(texts, clientPorts: [ports[0]])
        let variables = try text("watchwise.env").split(separator: "\n").filter { !$0.hasPrefix("#") }
        let options = variables.flatMap { line in
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            return ["--" + parts[0].dropFirst("WATCHWISE_".count).lowercased().replacing("_", with: "-"), parts[1]]
        }
        #expect(options.count == 6)
        let founded = try ServerProcess.run(
            ["cluster", "init", "--data", folder.path + "/data", "--max-bytes", "64MiB"] + options)
        #expect(founded.status == 0, "\(founded.errors)")
        #expect(founded.output.contains("on n1 2.15.1, n2 2.15.1, n3 2.15.1."), "\(founded.output)")

        // Without the password, without a certificate, and without both.
        let authority = try #require(TestAuthority.made)
        let tls =
            "tls { cert_file: \"\(files)/n1.pem\", key_file: \"\(files)/n1.key\", "
            + "ca_file: \"\(files)/ca.pem\", verify: true }"
        let foreign =
            "tls { cert_file: \"\(authority.serverCertificate)\", key_file: \"\(authority.serverKey)\", "
            + "ca_file: \"\(authority.certificate)\", verify: false }"
        let password = try #require(texts[0].firstMatch(of: /nats:\/\/(route:[0-9a-f]{48}@)/)).1
        for (user, encryption) in [("", tls), ("route:guessed@", tls), (password, ""), (password, foreign), ("", "")] {
            let stranger = try NATSServers(
                [
                    """
                    server_name: stranger
                    host: 127.0.0.1
                    port: \(ports[3])
                    http: "127.0.0.1:\(ports[4])"
                    cluster { name: watchwise, listen: "127.0.0.1:\(ports[5])", routes: ["nats://\(user)127.0.0.1:\(ports[2])"]
                      \(encryption) }
                    """
                ], clientPorts: [ports[3]])
            defer { stranger.stop() }
            Thread.sleep(forTimeInterval: 1.5)
            let routes = try NATSServers.figures("routez", port: ports[4])
            #expect(routes["num_routes"] == 0, "with '\(user)' and '\(encryption)': \(routes.text)")
        }
        let routes = try NATSServers.figures("routez", port: ports[1])
        #expect((routes["num_routes"]?.integerValue ?? 0) >= 2)
        nats.stop()
    }

    @Test func `the passwords differ and are for the owner alone, and no file is replaced`() throws {
        #expect(try write().status == 0)
        let passwords = try text("n2.conf").matches(of: /[0-9a-f]{48}/).map { String($0.0) }
        #expect(Set(passwords).count == 2)
        #expect(try text("watchwise.env").contains(passwords.last ?? "none"))
        for name in ["n1.conf", "n2.conf", "n3.conf", "watchwise.env"] {
            let mode = try FileManager.default.attributesOfItem(atPath: "\(files)/\(name)")[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        let again = try write()
        #expect(again.status == 1 && again.errors.contains("n1.conf is there already"), "\(again.errors)")
        #expect(try text("n2.conf").contains(passwords[0]))
    }

    @Test(
        arguments: [
            (["--server", "n1"], "must be NAME=HOST"), (["--server", "n 1=10.0.0.1"], "must be NAME=HOST"),
            (["--server", "n1=10.0.0.1\"\nport: 1"], "must be NAME=HOST"),
            (["--server", "n1=a", "--server", "n2=b"], "1, 3 or 5 times"),
            (["--server", "n1=a", "--server", "n1=b", "--server", "n2=c"], "1, 3 or 5 times"),
            (["--server", "n1=a", "--app", "a.b"], "--app must be"),
        ])
    func `a wrong option is named, and nothing is written`(_ options: [String], _ sentence: String) throws {
        let ended = try ServerProcess.run(["cluster", "nats-conf", files] + options)
        #expect(ended.status == 2 && ended.errors.contains(sentence), "\(ended.errors)")
        #expect(!FileManager.default.fileExists(atPath: files))
    }
}
