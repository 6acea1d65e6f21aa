import ArgumentParser
import Client
import Configuration
import Console
import Demo
import EventLoop
import Foundation
import JSON
import Server

/// `watchwise demo`
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A small application that plays by itself, with a page on which you can take part.",
        discussion: """
            Starts a server and a cast of bots on real connections, and prints what happens: what changes, which \
            notification reaches whom, at which level and in which language, and when it is withdrawn. In the film \
            network you are anna or marco, and the others answer you. The other applications show two inboxes side by \
            side, with the documents that cause them. Ctrl-C ends it. No network is needed, except for notifications of a \
            closed page: they go through the push service of the browser. Everybody who can reach the page can play any of \
            the people, so the demo refuses the folder of a real server, and its tokens end with it.

            EXAMPLES
              watchwise demo
              watchwise demo --app air-quality
              watchwise demo --listen 127.0.0.1:0 --pace fast
              watchwise demo --data /tmp/film-network      keep the folder and continue later
            """
    )

    @Option(help: "film-network, air-quality, ski-resort, announcements or task-board.")
    var app = ReadyApplication.filmNetwork
    @Option(
        help: .value(
            "host:port",
            "Address to listen on; port 0 picks a free one. (default: 127.0.0.1:8088, or the next free port)"))
    var listen: String?
    @Option(
        help: .value(
            "dir", "Folder to keep it in, a new one or that of a demo. (default: a temporary one, removed at the end)"))
    var data: String?
    @Option(help: "fast or normal.")
    var pace = DemoMachinery.Pace.normal
    @Option(help: .value("range", "Let pushes go to these addresses, though they are not public."))
    var pushAllow: [String] = []
    @Option(
        help: .value("file", "Trust these certificates (PEM) instead of the system's where the server sends pushes."))
    var outboundAuthorities: String?

    func run() throws {
        let folder = try data ?? Self.makeTemporaryFolder()
        try DemoFolder.take(folder)
        defer { if data == nil { Self.remove(folder) } }
        let piece = DemoPiece(app)
        var summary = ""
        let listen = listen ?? DemoPort.free()
        let configuration = try configuration(folder, piece, listen)
        try ServerRun.run(configuration, pages: piece.pages) { application, loop in
            let address = try Self.address(of: application)
            let client = AdminClient(
                http: HTTPClient(server: address), token: OperatorToken.make(with: application.secret))
            try seed(piece, with: client)
            introduce(piece, folder, address)
            let secret = application.secret
            let machinery = DemoMachinery(on: loop, server: address, secret: secret, pace: pace) {
                OperatorToken.make(with: secret)
            }
            let play = piece.play(machinery)
            play.start()
            // Later lines scroll the page's address out of sight.
            Terminal.keep("page: \(address)/demo    Ctrl-C ends it")
            return {
                Terminal.keep(nil)
                summary = machinery.narrator.summary
                play.stop()
            }
        }
        Terminal.line("\n" + summary)
        Terminal.line(data == nil ? "removed \(folder)" : "kept in \(folder)")
    }

    /// Writes the documents of the beginning once: a folder that is kept has what people changed since.
    private func seed(_ piece: DemoPiece, with client: AdminClient) throws {
        let mark = "demo/seed"
        guard (try? client.ask("GET", "documents/" + mark)) == nil else { return }
        let writes = piece.seed + [["op": "put", "path": .string(mark), "data": [:]]]
        _ = try client.ask(client.request("POST", "documents").with(body: ["writes": .array(writes)]))
    }

    /// The contact for push services. A demo has no operator, and ends with its key.
    private static let contact = "mailto:demo@example.org"

    private func configuration(
        _ folder: String, _ piece: DemoPiece, _ listen: String
    ) throws -> ServerConfiguration {
        // The page offers notifications of the browser.
        let flags = [
            "listen": [listen], "data": [folder], "log-level": ["warning"], "push-contact": [Self.contact],
            "push-allow": pushAllow, "outbound-authorities": outboundAuthorities.map { [$0] } ?? [],
        ]
        do {
            return try ConfigurationLayers(flags: flags, file: app.configuration).configuration()
        } catch {
            throw CommandFailure(.misused, error.description)
        }
    }

    private func introduce(_ piece: DemoPiece, _ folder: String, _ address: ServerAddress) {
        Terminal.line("WatchWise demo: \(piece.about) on a server of its own. Ctrl-C ends it.")
        if listen == nil, let taken = DemoPort.taken(before: address.socketAddress.port) { Terminal.line(taken) }
        Terminal.line("page: \(address)/demo")
        for line in piece.introduction { Terminal.line("  " + line) }
        Terminal.line("data: \(folder)" + (data == nil ? " (removed at the end)" : " (kept)") + "\n")
    }

    /// The server's address on this machine.
    private static func address(of application: Application) throws -> ServerAddress {
        var text = application.addresses.first ?? ""
        for (any, own) in [("0.0.0.0:", "127.0.0.1:"), ("[::]:", "[::1]:")] where text.hasPrefix(any) {
            text = own + text.dropFirst(any.count)
        }
        return try ServerAddress("http://" + text)
    }

    private static func makeTemporaryFolder() throws -> String {
        let base = FileManager.default.temporaryDirectory.path
        let folder = base + "/watchwise-demo-" + UUID().uuidString.prefix(8).lowercased()
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(.failed, "cannot make the folder \(folder): \(error.localizedDescription)")
        }
        return folder
    }

    private static func remove(_ folder: String) {
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            Terminal.error("\(folder) was not removed: \(error.localizedDescription)")
        }
    }
}

extension ReadyApplication: ExpressibleByArgument {}
extension DemoMachinery.Pace: ExpressibleByArgument {}
