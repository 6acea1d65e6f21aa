import JSON
import TestSupport

/// The HTTP API as a test calls it.
/// - Confinement: one thread at a time
struct Admin {
    let peer: HTTPPeer
    let token: String?

    init(_ peer: HTTPPeer, token: String?) {
        self.peer = peer
        self.token = token
    }

    /// One request with a JSON body, or with raw text.
    func call(
        _ method: String,
        _ target: String,
        _ body: JSONValue? = nil,
        text: String? = nil,
        headers: [(String, String)] = []
    ) throws -> HTTPPeer.Answer {
        var headers = headers
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        let answer = try peer.request(
            method, target, headers: headers, body: text.map { Array($0.utf8) } ?? body?.bytes)
        ServedForms.check(answer, to: method, target)
        return answer
    }

    /// The newest position of the log.
    func head() throws -> Int64 {
        let answer = try call("GET", "/v1/stats")
        guard answer.status == 200, let seq = try answer.json()["seq"]?.integerValue else {
            throw TCPSocket.Failure(description: "no seq in \(answer.text)")
        }
        return seq
    }

    /// A number of `/v1/stats`.
    func statistic(_ name: String) throws -> Int64? { try call("GET", "/v1/stats").json()[name]?.integerValue }
}
