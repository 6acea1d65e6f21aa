package import ClientProtocol
import JSON
package import Wire

/// An error answer of the HTTP API: a problem document (RFC 9457) with the contract's codes and classes.
///
/// - Confinement: any
package struct Problem {
    package let status: Int
    package let refusal: Refusal
    private var allow: String?
    /// Fields that the answer has besides.
    package var headers: HTTPHeaders = [:]

    /// A refusal with the status that its code has.
    package init(_ refusal: Refusal, request: HTTPCall? = nil) {
        let isConditional =
            request.map { $0.head.headers["If-Match"] != nil || $0.head.headers["If-None-Match"] != nil } ?? false
        status = refusal.code == .conflict && isConditional ? 412 : Self.status(of: refusal.code)
        self.refusal = refusal
    }

    /// A status of HTTP itself.
    package init(status: Int, detail: String, allow: String? = nil, field: String? = nil) {
        self.status = status
        let code: ErrorCode =
            switch status {
            case 401: .unauthenticated
            case 403, 421: .forbidden
            case 404: .notFound
            case 408: .timeout
            case 413, 414, 431: .tooLarge
            case 500...: .unavailable
            default: .badRequest
            }
        refusal = Refusal(code, detail, field: field)
        self.allow = allow
    }

    /// The answer to a body in a coding, which is not undone here (RFC 9110 section 15.5.16).
    package static let codedBody: Problem = {
        var problem = Problem(status: 415, detail: "the body must have no content coding")
        problem.headers = ["Accept-Encoding": "identity"]
        return problem
    }()

    package var response: HTTPResponse { response(to: nil) }

    /// - Parameter request: its id; nil where there is none.
    package func response(to request: String?) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "urn:watchwise:error:\(refusal.code.rawValue)")
        writer.member("title", HTTPStatus.reason(status))
        writer.member("status", status)
        writer.member("detail", refusal.message)
        refusal.write(to: &writer)
        if let request { writer.member("request", request) }
        writer.endObject()
        var headers: HTTPHeaders = ["Content-Type": "application/problem+json", "Cache-Control": "no-store"]
        if status == 401 { headers.append("WWW-Authenticate", "Bearer") }
        if let allow { headers.append("Allow", allow) }
        if let wait = refusal.retryAfterMilliseconds { headers.append("Retry-After", String((wait + 999) / 1000)) }
        for field in self.headers.fields { headers.append(field.name, field.value) }
        return HTTPResponse(status: status, headers: headers, body: writer.bytes)
    }

    private static func status(of code: ErrorCode) -> Int {
        switch code {
        case .badRequest, .unknownCommand: 400
        case .unauthenticated, .tokenExpired, .tokenRevoked: 401
        case .forbidden, .blocked: 403
        case .notFound: 404
        case .conflict: 409
        case .tooLarge: 413
        case .keyReused: 422
        case .rateLimited, .tooMany: 429
        case .internal: 500
        case .unavailable: 503
        case .timeout: 504
        }
    }
}

extension Refusal {
    /// The body of a request has more bytes than its route takes.
    package static func tooLarge(_ bytesMax: Int) -> Refusal {
        Refusal(.tooLarge, "a body has at most \(bytesMax) bytes here")
    }
}
