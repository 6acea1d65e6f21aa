import ArgumentParser
import Configuration
import Console
import Foundation
import Server

/// `watchwise cluster nats-conf`
struct ClusterNATSConf: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nats-conf",
        abstract: "Write the configuration files of the journal's servers, with passwords and TLS.",
        discussion: """
            Each machine of the journal runs one server of NATS (2.15.1, at least 2.14.5). The folder gets a file for each \
            of them, a script that makes their certificates, and the variables of the nodes. Nothing that is there is \
            replaced.

            EXAMPLES
              watchwise cluster nats-conf nats --server n1=10.0.0.1 --server n2=10.0.0.2 --server n3=10.0.0.3
              nats/certificates.sh
            """)

    @Argument(help: "The folder, which is made.")
    var folder: String
    @Option(
        help: .value(
            "name=host", "A server of the journal: its name, and the address at which it is reached. Repeated."))
    var server: [String]
    @Option(help: .value("name", "Name of the application in the journal."))
    var app = "watchwise"
    @Option(help: .value("dir", "Where the files will be on the servers."))
    var etc = "/etc/nats"
    @Option(help: .value("dir", "Where the servers keep the journal."))
    var store = "/var/lib/nats"
    @Option(help: .value("size", "The most that a server keeps, in the words of NATS."))
    var storeMax = "40GB"
    @Option(help: .value("n", "The port for the nodes."))
    var port = 4222
    @Option(help: .value("n", "The port for figures."))
    var monitorPort = 8222
    @Option(help: .value("n", "The port between the servers."))
    var routePort = 6222

    func run() throws {
        let servers = try server.map { text in
            guard let server = JournalFiles.Server(text) else {
                throw CommandFailure(.misused, "--server must be NAME=HOST, such as n1=10.0.0.1, not '\(text)'")
            }
            return server
        }
        guard [1, 3, 5].contains(servers.count), Set(servers.map(\.name)).count == servers.count else {
            throw CommandFailure(.misused, "--server must be given 1, 3 or 5 times, with a name of its own each time")
        }
        guard ClusterConfiguration.isApplication(app) else {
            throw CommandFailure(.misused, "--app must be 1 to 64 of a-z A-Z 0-9 - _, not '\(app)'")
        }
        do {
            var files = try JournalFiles(servers)
            (files.application, files.folder, files.store, files.storeMax) = (app, etc, store, storeMax)
            (files.clientPort, files.monitorPort, files.routePort) = (port, monitorPort, routePort)
            try files.write(into: folder)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        Terminal.line(
            """
            Written into \(folder): \(servers.map { "\($0.name).conf" }.joined(separator: ", ")), certificates.sh, watchwise.env.

            1. \(folder)/certificates.sh makes ca.pem, and a certificate and a key for each server.
            2. Copy to \(etc) of each machine: its .conf, its .pem and .key, and ca.pem, readable for its NATS alone.
               Start 'nats-server --config \(etc)/NAME.conf' there.
            3. Add watchwise.env to /etc/watchwise.env of each node, with WATCHWISE_NODE and WATCHWISE_NODE_ADDRESS.
            4. Make the cluster: watchwise cluster init --data /var/lib/watchwise
            """)
    }
}
