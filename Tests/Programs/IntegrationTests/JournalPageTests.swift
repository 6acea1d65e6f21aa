import Foundation
import JSON
import TestSupport
import Testing

/// The configuration of NATS that `deploy/README.md` shows, with real servers.
@Suite(
    .serialized, .enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"),
    .enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"),
    .enabled(if: TestAuthority.made != nil, "there is no openssl"))
struct JournalPageTests {
    private let folder = TemporaryFolder()

    /// The block of the page that begins with the server's name.
    private static func configuration() throws -> String {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../deploy/README.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let block = text.split(separator: "```\n").first { $0.hasPrefix("server_name: n1\n") }
        return String(try #require(block))
    }

    /// The page's configuration for a server of this machine.
    /// - Parameter ports: for clients, for the figures and for the routes of each of the three servers.
    private func configuration(of number: Int, _ ports: [[UInt16]]) throws -> String {
        let authority = try #require(TestAuthority.made)
        var text = try Self.configuration()
        for (index, own) in ports.enumerated() {
            text = text.replacing("@10.0.0.\(index + 1):6222", with: "@127.0.0.1:\(own[2])")
        }
        let own = ports[number - 1]
        for (old, new) in [
            ("server_name: n1", "server_name: n\(number)\nhost: 127.0.0.1"), ("port: 4222", "port: \(own[0])"),
            ("10.0.0.1:8222", "127.0.0.1:\(own[1])"), ("10.0.0.1:6222", "127.0.0.1:\(own[2])"),
            ("/var/lib/nats", "\"\(folder.path)/n\(number)\""), ("max_file_store: 40GB", "max_file_store: 1GB"),
            ("/etc/nats/n1.pem", authority.serverCertificate), ("/etc/nats/n1.key", authority.serverKey),
            ("/etc/nats/ca.pem", authority.certificate),
        ] {
            #expect(text.contains(old), "the page says \(old)")
            text = text.replacing(old, with: new)
        }
        return text
    }

    @Test func `the configuration of the page makes a cluster of servers, and lets no stranger in`() throws {
        let authority = try #require(TestAuthority.made)
        let ports = NATSServers.freePorts(12).chunked(by: 3)
        let texts = try (1...3).map { try configuration(of: $0, ports) }
        let nats = try NATSServers(texts, clientPorts: ports.prefix(3).map { $0[0] })
        let journal = ports.prefix(3).map { "tls://watchwise:NODE-PASSWORD@127.0.0.1:\($0[0])" }.joined(separator: ",")
        let made = try ServerProcess.run(
            ["cluster", "init", "--data", folder.path + "/data", "--journal", journal]
                + ["--journal-ca", authority.certificate, "--max-bytes", "64MiB"]
                + ["--journal-monitor", ports.prefix(3).map { "http://127.0.0.1:\($0[1])" }.joined(separator: ",")])
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("on n1 2.15.1, n2 2.15.1, n3 2.15.1."), "\(made.output)")

        // Without the password, without a certificate, and without both.
        let (route, own) = (ports[0][2], ports[3])
        let tls =
            "tls { cert_file: \"\(authority.serverCertificate)\", key_file: \"\(authority.serverKey)\", "
            + "ca_file: \"\(authority.certificate)\", verify: true }"
        for (user, encryption) in [("", tls), ("route:guessed@", tls), ("route:ROUTE-PASSWORD@", ""), ("", "")] {
            let stranger = try NATSServers(
                [
                    """
                    server_name: stranger
                    host: 127.0.0.1
                    port: \(own[0])
                    http: "127.0.0.1:\(own[1])"
                    cluster { name: watchwise, listen: "127.0.0.1:\(own[2])", routes: ["nats://\(user)127.0.0.1:\(route)"]
                      \(encryption) }
                    """
                ], clientPorts: [own[0]])
            defer { stranger.stop() }
            Thread.sleep(forTimeInterval: 1.5)
            let routes = try NATSServers.figures("routez", port: own[1])
            #expect(routes["num_routes"] == 0, "with '\(user)' and '\(encryption)': \(routes.text)")
        }
        let routes = try NATSServers.figures("routez", port: ports[0][1])
        #expect((routes["num_routes"]?.integerValue ?? 0) >= 2)
        nats.stop()
    }
}

extension [UInt16] {
    fileprivate func chunked(by size: Int) -> [[UInt16]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<$0 + size]) }
    }
}
