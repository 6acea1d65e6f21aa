import ArgumentParser
import Client
import Console
import JSON
import Wire

/// `watchwise ready`
struct Ready: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Whether the server is ready for its clients.",
        discussion: """
            It asks /readyz, which needs no token. The exit status is 0 when the server is ready, and 1 with the reason when it is \
            not: for scripts, for the health check of a container, and after a start. Another machine learns the reason only with \
            --token, of a user with the scope metrics or admin:read.

            EXAMPLES
              watchwise ready
              watchwise ready --wait 60 && watchwise put people/525 '{"name": "C. Nolan"}'
              watchwise ready --writes --server https://films.example
            """
    )

    @Option(help: .value("seconds", "Ask again until it is ready, for at most this long. (default: 0)"))
    var wait: Int64 = 0
    @Flag(help: "On a node of several: also whether it can hand over a write.")
    var writes = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func validate() throws {
        guard (0...86_400).contains(wait) else {
            throw ValidationError("--wait must be 0 to 86400 seconds, not \(wait)")
        }
    }

    func run() throws {
        let client = HTTPClient(server: try server.address(), timeoutMilliseconds: 5000)
        let request = try request(of: client)
        let deadline = ContinuousClock.now + .seconds(wait)
        var problem = ask(client, request)
        while problem != nil, ContinuousClock.now < deadline, try !Pause.isInterrupted(withinMilliseconds: 250) {
            problem = ask(client, request)
        }
        if server.json {
            let answer: JSONValue = problem.map { ["ready": false, "reason": .string($0)] } ?? ["ready": true]
            _ = Terminal.nextLine(answer.text)
            if problem != nil { throw ExitCode(CommandFailure.Status.failed.rawValue) }
        } else if let problem {
            throw CommandFailure(.failed, problem)
        } else {
            _ = Terminal.nextLine("\(client.server) is ready")
        }
    }

    /// A given token goes with it, so that another machine may see the reason.
    private func request(of client: HTTPClient) throws -> HTTPRequest {
        var request = HTTPRequest(method: "GET", target: writes ? "/readyz?for=writes" : "/readyz")
        if server.token != nil || Surroundings.variable("WATCHWISE_TOKEN") != nil,
            case .token(let token) = try server.bearer(for: client.server)
        {
            request.headers.append("Authorization", "Bearer " + token)
        }
        return request
    }

    /// Asks once; nil when the server is ready.
    private func ask(_ client: HTTPClient, _ request: HTTPRequest) -> String? {
        do {
            let response = try client.perform(request)
            guard response.status != 200 else { return nil }
            let lines = String(decoding: response.body.prefix(1000), as: UTF8.self).split(whereSeparator: \.isNewline)
            return "\(client.server) is not ready: \(lines.joined(separator: "; "))"
        } catch {
            return "cannot reach \(client.server): \(error)"
        }
    }
}
