import ArgumentParser
import Client
import EventLoop
import Foundation
import Server

/// `watchwise demo`
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A small film network that plays by itself, with a page to take part in.",
        discussion: """
            Starts a server, a cast of bots on real connections, and prints what happens: who recommends what to \
            whom, when it is seen, who answers, which release reaches whom and in which language. On the page you are \
            anna or marco; the others answer you. Ctrl-C ends it.

            EXAMPLES
              watchwise demo
              watchwise demo --listen 127.0.0.1:0 --pace fast
              watchwise demo --data /tmp/film-network      keep it, go on later
            """
    )

    /// How quickly the story goes.
    enum Pace: String, ExpressibleByArgument, CaseIterable {
        case fast, normal

        var quickness: Int64 { self == .fast ? 4 : 1 }
    }

    @Option(help: ArgumentHelp("Address to listen on; port 0 picks a free one.", valueName: "host:port"))
    var listen = "127.0.0.1:8080"
    @Option(
        help: ArgumentHelp(
            "Folder to keep it in. (default: a temporary one, removed at the end)", valueName: "dir"))
    var data: String?
    @Option(help: "fast or normal.")
    var pace = Pace.normal

    func run() throws {
        let folder = try data ?? Self.makeTemporaryFolder()
        defer { if data == nil { Self.remove(folder) } }
        let cast = DemoCast()
        var summary = ""
        try ServerRun.run(try configuration(folder, cast)) { application, loop in
            let address = try Self.address(of: application)
            let client = AdminClient(
                http: HTTPClient(server: address), token: OperatorToken.make(with: application.secret))
            try DemoSeed.write(cast, with: client)
            introduce(cast, folder, address)
            let troupe = DemoTroupe(
                cast, on: loop, server: address, secret: application.secret, pace: pace,
                makeToken: { OperatorToken.make(with: application.secret) })
            troupe.start()
            return {
                summary = troupe.narrator.summary
                troupe.stop()
            }
        }
        Terminal.line("\n" + summary)
        Terminal.line(data == nil ? "removed \(folder)" : "kept in \(folder)")
    }

    private func configuration(_ folder: String, _ cast: DemoCast) throws -> ServerConfiguration {
        let flags: [ConfigurationKey: [String]] = [.listen: [listen], .data: [folder], .logLevel: ["warning"]]
        var configuration: ServerConfiguration
        do {
            configuration = try ConfigurationLayers(flags: flags).configuration()
        } catch {
            throw CommandFailure(.misused, error.description)
        }
        configuration.demo = { sign in
            DemoStage(
                people: cast.people.map { DemoStage.Member(id: $0.id, name: $0.name, locale: $0.locale) },
                films: (cast.films + cast.premieres).map(\.product), sign: sign)
        }
        return configuration
    }

    private func introduce(_ cast: DemoCast, _ folder: String, _ address: ServerAddress) {
        let bots = Dictionary(grouping: cast.bots, by: \.language).sorted { $0.key > $1.key }
            .map { language, people in people.map(\.name).joined(separator: ", ") + " (\(language))" }
        let players = cast.players.map { "\($0.name) (\($0.language))" }.joined(separator: " and ")
        Terminal.line("WatchWise demo: a small film network on a server of its own. Ctrl-C ends it.")
        Terminal.line("page: \(address)/demo")
        Terminal.line("  you are \(players) there; \(bots.joined(separator: ", ")) are played here and answer you")
        Terminal.line("data: \(folder)" + (data == nil ? " (removed at the end)" : " (kept)") + "\n")
    }

    /// Where the server is reached from this machine.
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
