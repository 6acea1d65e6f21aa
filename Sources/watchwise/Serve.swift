import ArgumentParser
import EventLoop
import Foundation
import Server

/// `watchwise serve`
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            When it is ready it prints one line 'listening on ADDRESS' for each address; its log goes to standard error.

            EXAMPLES
              watchwise serve
              watchwise serve --listen 0.0.0.0:8080 --data /var/lib/watchwise
              watchwise serve --listen 127.0.0.1:0 --data /tmp/try --debug-echo
            """
    )

    @Option(help: "Address to listen on, HOST:PORT; may be repeated; port 0 picks a free one.")
    var listen: [String] = []

    @Option(help: "Folder for everything the server keeps.")
    var data: String?

    @Option(help: "Event loops, one thread each.")
    var loops: Int?

    @Flag(name: .customLong("debug-echo"), help: "Add GET /v1/echo, which sends back what it gets.")
    var debugEcho = false

    func run() throws {
        var configuration = ServerConfiguration()
        if !listen.isEmpty { configuration.listen = listen }
        if let data { configuration.data = data }
        configuration.loops = loops
        configuration.hasEcho = debugEcho
        try ServerRun.run(configuration) { application in
            for address in application.addresses { Terminal.line("listening on \(address)") }
        }
    }
}

/// Runs a server until it is told to stop.
enum ServerRun {
    /// Starts, calls `ready`, waits for SIGTERM or SIGINT, stops.
    static func run(_ configuration: ServerConfiguration, ready: (Application) throws -> Void) throws {
        let application: Application
        do {
            application = try Application(configuration)
        } catch let problem as StartProblem {
            Terminal.error("\(problem)")
            throw ExitCode(problem.isConfiguration ? 2 : 1)
        }
        try ready(application)
        let loop = try Loop()
        let signals = try [SIGTERM, SIGINT].map { signal in
            try SignalSource(on: loop, signal: signal) { loop.stop() }
        }
        loop.run()
        for signal in signals where !signal.isClosed { signal.close() }
        application.stop()
    }
}
