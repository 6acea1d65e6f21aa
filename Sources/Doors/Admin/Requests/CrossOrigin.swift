import ClientProtocol
package import Configuration
import Model
package import Wire

/// The fields of an answer so that the pages of configured origins may use `fetch` here (CORS, the Fetch standard).
///
/// Only what lies below `/v1` says it, and only to origins that `--origin` names; a page of the server's own needs none of
/// it. Nothing is allowed by it that asks for no token elsewhere: there are no cookies, and none are let through.
///
/// - Confinement: any
struct CrossOrigin {
    /// The header fields that requests may bear besides those that every page may send.
    static let requestFields = [
        "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID", "Title",
        "Kind", "Level", "Collapse", "Expires", TriggerChain.headerName, HTTPCall.readAfterField,
    ]
    /// The header fields of answers that pages may see besides those that every page sees.
    static let exposedFields = ["ETag", "Retry-After", "WWW-Authenticate", HTTPCall.idField, HTTPCall.readAfterField]
    static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
    /// For how long a browser need not ask again.
    static let maxAgeSeconds = 600

    private let call: HTTPCall
    private let origins: AllowedOrigins

    init(_ call: HTTPCall, _ origins: AllowedOrigins) {
        self.call = call
        self.origins = origins
    }

    /// The fields that the answer to the request has for pages of other origins; empty for most requests.
    var headers: HTTPHeaders {
        guard let value = allowed else { return [:] }
        return [
            "Access-Control-Allow-Origin": value, "Vary": "Origin",
            "Access-Control-Expose-Headers": Self.exposedFields.joined(separator: ", "),
        ]
    }

    /// Whether a browser asks what a page may do, before it does it.
    var isPreflight: Bool {
        call.head.method == "OPTIONS" && call.head.headers["Access-Control-Request-Method"] != nil
            && call.head.headers["Origin"] != nil
    }

    /// The answer to that, for an origin that may; ``headers`` come besides.
    var preflight: HTTPResponse {
        guard allowed != nil else { return HTTPResponse(status: 204) }
        return HTTPResponse(
            status: 204,
            headers: [
                "Access-Control-Allow-Methods": Self.methods.joined(separator: ", "),
                "Access-Control-Allow-Headers": Self.requestFields.joined(separator: ", "),
                "Access-Control-Max-Age": String(Self.maxAgeSeconds),
            ])
    }

    /// Whether the request may change something, so that a page of another origin may not send it.
    var isWrite: Bool { !["GET", "HEAD", "OPTIONS"].contains(call.head.method) }

    private var allowed: String? {
        guard !origins.isEmpty, call.head.pathSegments.first == "v1" else { return nil }
        return origins.shared(with: call.head.headers.values("Origin"))
    }
}

extension HTTPCall {
    /// The fields that the answer has for a page of another origin. Where no page of another origin may read answers, no
    /// answer pays for them.
    package func sharing(with origins: AllowedOrigins) -> HTTPHeaders {
        origins.isEmpty ? [:] : CrossOrigin(self, origins).headers
    }

    /// The fields of the head of a stream.
    ///
    /// - Parameter date: the text of ``HTTPDate``.
    package func streamFields(for origins: AllowedOrigins, date: String) -> HTTPHeaders {
        var fields = sharing(with: origins)
        fields.append(Self.idField, id)
        fields.append(HTTPDate.field, date)
        return fields
    }

    /// - Throws: `Refusal` when a page asks that may not.
    func checkOrigin(at door: any RequestDoor) throws(Refusal) {
        let origins = head.headers.values("Origin")
        let isEncrypted = door.tls != nil
        guard door.settings.configuration.origins.admit(origins, to: head.authority, isEncrypted: isEncrypted)
        else {
            throw Refusal(
                .forbidden, "a page of \(origins.joined(separator: ", ").prefix(200)) may not do this; see --origin",
                field: "Origin")
        }
    }
}
