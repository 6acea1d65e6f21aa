import Digits
package import JSON
package import Wire

/// A request to the HTTP API, with the parts that the API uses.
///
/// - Confinement: any
package struct AdminRequest: Sendable {
    private let method: String
    private var target: String
    private let token: String
    private var headers: HTTPHeaders = [:]
    private var body: [UInt8] = []

    /// - Parameters:
    ///   - path: the part after `/v1/`, unencoded; this function percent-encodes it.
    ///   - query: names and values, likewise.
    package init(_ method: String, _ path: String, query: [(String, String)] = [], token: String) {
        self.method = method
        self.token = token
        target = "/v1/" + PercentEncoding.encode(path, keeping: "/:@")
        for (index, item) in query.enumerated() {
            target += (index == 0 ? "?" : "&") + PercentEncoding.encode(item.0) + "=" + PercentEncoding.encode(item.1)
        }
        headers.append("Authorization", "Bearer " + token)
        headers.append("Accept", "application/json")
    }

    /// The request with a body.
    package func with(body: JSONValue) -> AdminRequest {
        var copy = self
        copy.headers.append("Content-Type", "application/json")
        copy.body = body.bytes
        return copy
    }

    /// The request with a key, which makes a repetition harmless.
    package func with(key: String?) -> AdminRequest {
        guard let key else { return self }
        var copy = self
        copy.headers.append("Idempotency-Key", key)
        return copy
    }

    /// The request with the condition that the document has this version; 0 means that it must not exist.
    package func with(ifVersion version: Int64?) -> AdminRequest {
        guard let version else { return self }
        var copy = self
        if version == 0 {
            copy.headers.append("If-None-Match", "*")
        } else {
            copy.headers.append("If-Match", "\"\(version)\"")
        }
        return copy
    }

    /// The complete HTTP request.
    package var http: HTTPRequest { HTTPRequest(method: method, target: target, headers: headers, body: body) }
}
