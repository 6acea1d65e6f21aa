import Client
import ClientProtocol
import Console
import Foundation
import JSON
import Wire

/// Calls the HTTP API as the server's operator.
struct AdminClient {
    var http: HTTPClient
    let token: String

    /// A request with this client's token.
    func request(_ method: String, _ path: String, query: [(String, String)] = []) -> AdminRequest {
        AdminRequest(method, path, query: query, token: token)
    }

    /// Asks without a body.
    /// - Throws: as the general form.
    func ask(_ method: String, _ path: String, query: [(String, String)] = []) throws -> JSONValue {
        try ask(request(method, path, query: query))
    }

    /// Asks for a change, with a new key.
    /// - Throws: as the general form.
    func change(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
        let request = request(method, path)
        return try ask((body.map { request.with(body: $0) } ?? request).with(key: Self.newKey()))
    }

    /// Sends a request and waits for the answer.
    /// - Parameter place: Returns lines that show the place of a mistake; nil when there is none.
    /// - Throws: `CommandFailure` when the server refuses or there is no answer.
    func ask(_ request: AdminRequest, place: (Refusal) -> String? = { _ in nil }) throws -> JSONValue {
        switch try answer(to: request) {
        case .done(let json): return json
        case .refused(let refusal):
            let shown = place(refusal).map { "\n" + $0 } ?? ""
            throw CommandFailure(.failed, Self.sentence(refusal) + shown)
        case .strange(let status, let start):
            throw CommandFailure(.failed, "\(http.server) answered with status \(status): \(start.cut(to: 100))")
        }
    }

    /// Sends a request for a large answer and takes its body piece by piece, without a limit of time.
    /// - Throws: `CommandFailure` when the server refuses, or the answer is incomplete.
    func download(_ request: AdminRequest, receive: ([UInt8]) -> Void) throws {
        var http = http
        http.timeoutMilliseconds = 24 * 3_600_000
        // The beginning is kept, because a refusal is short and must be shown.
        var start: [UInt8] = []
        var response: HTTPResponse
        do {
            response = try withoutActuallyEscaping(receive) { receive in
                try http.perform(request.http) { bytes in
                    if start.count < 16_384 { start += bytes }
                    receive(bytes)
                }
            }
        } catch {
            throw CommandFailure(.failed, "\(http.server) did not send all of it: \(error)")
        }
        guard response.status != 200 else { return }
        response.body = start
        switch AdminAnswer(response) {
        case .refused(let refusal): throw CommandFailure(.failed, Self.sentence(refusal))
        case .done, .strange: throw CommandFailure(.failed, "\(http.server) answered with status \(response.status)")
        }
    }

    private func answer(to request: AdminRequest) throws -> AdminAnswer {
        do {
            return AdminAnswer(try http.perform(request.http))
        } catch {
            if case .encryption(let failure) = error { throw CommandFailure(.failed, "\(http.server): \(failure)") }
            if case .ended = error, http.server.encryption == nil {
                throw CommandFailure(.failed, "\(http.server): \(error). If it speaks TLS, its address is https://…")
            }
            throw CommandFailure(
                .failed, "cannot reach \(http.server): \(error). Is the server running? (watchwise serve)")
        }
    }

    /// `not-found: there is no document people/9 (field path)`
    static func sentence(_ refusal: Refusal) -> String {
        var text = "\(refusal.code.rawValue): \(refusal.message)"
        if let field = refusal.field, !refusal.message.hasPrefix(field) { text += " (field \(field))" }
        if let wait = refusal.retryAfterMilliseconds { text += "; again in \(wait) ms" }
        return text
    }

    /// The path of a trigger or a feed in the API.
    static func address(of kind: String, _ name: String) throws -> String {
        guard !name.isEmpty, !name.contains("/") else {
            throw CommandFailure(.misused, "'\(name)' is not the name of a \(kind)")
        }
        return "\(kind)s/\(name)"
    }

    /// A new key for the write of this run.
    static func newKey() -> String { "cli-" + UUID().uuidString.lowercased() }
}
