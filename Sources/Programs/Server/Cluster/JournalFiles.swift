package import Configuration
import Crypto
import Digits
internal import Foundation
import Model

/// The files by which the servers of a journal are set up, so that they fit this program (`watchwise cluster nats-conf`): a configuration
/// of NATS for each, a script that makes their certificates, and the variables of the nodes.
///
/// The passwords are made by chance: one between the servers, and another for the nodes.
///
/// - Confinement: any
package struct JournalFiles: Sendable {
    /// A machine with a server of the journal.
    ///
    /// - Confinement: any
    package struct Server: Sendable, Hashable {
        /// The server's name, unique among them.
        package let name: String
        /// The address at which the others and the nodes reach it.
        package let host: String

        /// Reads `NAME=HOST`.
        package init?(_ text: String) {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, Self.isName(parts[0], more: "-_"), Self.isName(parts[1], more: "-.") else {
                return nil
            }
            (name, host) = (parts[0], parts[1])
        }

        private static func isName(_ text: String, more: String) -> Bool {
            (1...253).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || more.utf8.contains($0) }
        }

        /// Whether the host is an address of IP version 4, which a certificate names in another way than a name.
        fileprivate var isAddress: Bool {
            host.split(separator: ".").count == 4 && host.allSatisfy { $0.isNumber || $0 == "." }
        }
    }

    /// A file, and whether it has secrets.
    ///
    /// - Confinement: any
    package struct File: Sendable, Hashable {
        package let name: String
        package let text: String
        /// As in `chmod`.
        package let mode: Int
    }

    package var servers: [Server]
    package var application = "watchwise"
    package var clientPort = 4222
    package var monitorPort = 8222
    package var routePort = 6222
    /// Where the files are on the servers.
    package var folder = "/etc/nats"
    package var store = "/var/lib/nats"
    /// In the words of NATS.
    package var storeMax = "40GB"
    private let (nodePassword, routePassword): (String, String)

    /// - Throws: ``StartProblem`` when the system gives no random bytes.
    package init(_ servers: [Server]) throws(StartProblem) {
        self.servers = servers
        do {
            nodePassword = String(decoding: Hexadecimal.encode(try SecureRandom.bytes(24)), as: UTF8.self)
            routePassword = String(decoding: Hexadecimal.encode(try SecureRandom.bytes(24)), as: UTF8.self)
        } catch {
            throw StartProblem(isConfiguration: false, "the system gives no random bytes: \(error)")
        }
    }

    /// All of them.
    package var all: [File] {
        servers.map { File(name: "\($0.name).conf", text: configuration(of: $0), mode: 0o600) }
            + [
                File(name: "certificates.sh", text: certificates, mode: 0o700),
                File(name: "watchwise.env", text: variables, mode: 0o600),
            ]
    }

    private func configuration(of server: Server) -> String {
        let routes = servers.map { "\"nats://route:\(routePassword)@\($0.host):\(routePort)\"" }.joined(separator: ", ")
        let files = "cert_file: \"\(folder)/\(server.name).pem\", key_file: \"\(folder)/\(server.name).key\""
        let subject = "ww.\(application).>"
        return """
            # Made by 'watchwise cluster nats-conf' for the journal of the application '\(application)'. Keep it at mode 600.
            server_name: \(server.name)
            listen: "\(server.host):\(clientPort)"
            http: "\(server.host):\(monitorPort)"      # monitoring, for watchwise cluster check; not for the internet
            max_payload: 8MB                 # an entry may have 4 MiB
            jetstream {
              store_dir: "\(store)"
              sync_interval: always          # without it a power cut of all machines loses the whole stream
              max_file_store: \(storeMax)
            }
            # Between the journal's servers: everybody who comes in here reads everything, whatever the permissions below say.
            cluster {
              name: watchwise
              listen: "\(server.host):\(routePort)"
              routes: [\(routes)]
              authorization { user: route, password: "\(routePassword)", timeout: 5 }
              tls { \(files), ca_file: "\(folder)/ca.pem", verify: true, timeout: 5 }
            }
            # Between the nodes and the journal.
            tls { \(files), timeout: 5 }
            authorization {
              users: [{
                user: watchwise, password: "\(nodePassword)"
                permissions: {
                  publish: ["\(subject)", "$JS.API.STREAM.*.WW-\(application)", "$JS.API.STREAM.MSG.GET.WW-\(application)", "$JS.API.CONSUMER.>", "_INBOX.>"]
                  subscribe: ["\(subject)", "_INBOX.>"]
                }
              }]
            }

            """
    }

    private var certificates: String {
        let make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650"
        let each = servers.map { server in
            """
            \(make) -subj /CN=\(server.name) -addext subjectAltName=\(server.isAddress ? "IP" : "DNS"):\(server.host) \\
                -addext basicConstraints=critical,CA:FALSE -CA ca.pem -CAkey ca.key -keyout \(server.name).key -out \(server.name).pem
            """
        }
        return """
            #!/bin/sh
            # Makes an authority that signs for nothing else, and a certificate for each server of the journal, in this folder.
            # What is there stays: remove a file to have another one. Keep ca.key elsewhere afterwards.
            set -eu
            umask 077
            cd "$(dirname "$0")"
            [ -e ca.key ] || \(make) -subj /CN=journal -keyout ca.key -out ca.pem
            \(zip(servers, each).map { "[ -e \($0.name).key ] || \($1)" }.joined(separator: "\n"))
            ls -l ca.pem \(servers.map { "\($0.name).pem \($0.name).key" }.joined(separator: " "))

            """
    }

    private var variables: String {
        let journal = servers.map { "tls://watchwise:\(nodePassword)@\($0.host):\(clientPort)" }.joined(separator: ",")
        let monitors = servers.map { "http://\($0.host):\(monitorPort)" }.joined(separator: ",")
        let own = application == "watchwise" ? "" : "WATCHWISE_JOURNAL_APP=\(application)\n"
        return """
            # For /etc/watchwise.env of each node, at mode 600; a name and an address of its own come beside it.
            WATCHWISE_JOURNAL=\(journal)
            WATCHWISE_JOURNAL_CA=\(folder)/ca.pem
            WATCHWISE_JOURNAL_MONITOR=\(monitors)
            \(own)#WATCHWISE_NODE=rome-1
            #WATCHWISE_NODE_ADDRESS=http://\(servers.first?.host ?? "10.0.0.1"):8080

            """
    }
}

extension JournalFiles {
    /// Writes all of them into a folder, which is made. A file that is there is an error: its passwords may be in use.
    ///
    /// - Throws: ``StartProblem``.
    package func write(into path: String) throws(StartProblem) {
        let files = FileManager.default
        if let there = all.first(where: { files.fileExists(atPath: "\(path)/\($0.name)") }) {
            throw StartProblem(
                isConfiguration: false, "\(path)/\(there.name) is there already: remove it, or name another folder")
        }
        do {
            try files.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StartProblem(isConfiguration: false, "\(path) cannot be made: \(error.localizedDescription)")
        }
        for file in all {
            let isWritten = files.createFile(
                atPath: "\(path)/\(file.name)", contents: Data(file.text.utf8),
                attributes: [.posixPermissions: file.mode])
            guard isWritten else {
                throw StartProblem(isConfiguration: false, "\(path)/\(file.name) cannot be written")
            }
        }
    }
}
