package import Authentication
package import ClientProtocol
package import JSON
package import Model
package import Wire

/// A request that is being received: its head, and the part of its body that has arrived.
///
/// - Confinement: any
package struct HTTPCall: Sendable {
    package let head: HTTPRequestHead
    package var body: [UInt8] = []
    /// Whether a program of this machine asks for `/metrics` or `/readyz`, without a proxy.
    package var isOfThisMachine = false
    /// Whether it came by a door for the figures alone.
    package var isAtFigures = false
    /// The request's id: in its answer, in the log and in the audit. A trusted proxy may have given it.
    package var id = ""
    /// The address of the client, as far as trusted proxies say.
    package var client = ""

    /// The field of requests and answers that bears ``id``.
    package static let idField = "X-Request-Id"
    /// The field of the answer to a write, and of later requests that are to be answered with that write or more.
    package static let readAfterField = "Read-After"

    package init(head: HTTPRequestHead) { self.head = head }

    /// The id that a request bears, of the form `[A-Za-z0-9._-]{1,64}`; nil without a sound one.
    package static func givenID(_ head: HTTPRequestHead) -> String? {
        guard let text = head.headers[idField], (1...64).contains(text.utf8.count) else { return nil }
        let isSound = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
            default: false
            }
        }
        return isSound ? text : nil
    }

    /// The token of `Authorization: Bearer`; nil when there is none.
    package var bearerToken: String? {
        guard let value = head.headers["Authorization"] else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        // One blank or more (RFC 9110 section 11.4).
        return String(parts[1].drop { $0 == " " })
    }

    /// The claims of a user's token.
    ///
    /// - Parameters:
    ///   - errands: of nodes, whose tokens are good here.
    ///   - isAgain: whether the token was looked at before: a refused one is not counted twice.
    /// - Throws: `Refusal` of the class `auth`; of the class `retry` on a node that lags the others too much to know which tokens
    ///   were revoked.
    package func claims(
        at door: any RequestDoor, openTo errands: Set<NodeErrand> = [], isAgain: Bool = false
    ) throws(Refusal) -> Claims {
        guard let token = bearerToken else {
            throw Refusal(.unauthenticated, "a token is required in the Authorization header")
        }
        if !isOfNode, let refusal = door.sessionRefusal { throw refusal }
        return try door.verify(token: token, openTo: errands, from: isAgain ? nil : client)
    }

    /// Whether it asks for the node itself, which operators and other nodes may also do when it lags.
    private var isOfNode: Bool {
        let segments = head.pathSegments
        return segments.first != "v1" || segments.count > 1 && ["backup", "cluster", "stats"].contains(segments[1])
    }

    /// The position up to which the log must be here before the request is answered; nil when it does not matter.
    ///
    /// - Parameter epoch: of a position that names none.
    /// - Throws: `Refusal` when it is not of the form.
    package func readAfter(_ epoch: Epoch) throws(Refusal) -> ResumePoint? {
        guard let text = head.headers[Self.readAfterField] else { return nil }
        guard let point = ResumePoint(text) ?? ResumePoint("\(epoch.text).\(text)") else {
            throw Refusal.badRequest(
                field: Self.readAfterField, "must be what the answer to a write had in this field, or its seq")
        }
        return point
    }

    /// The claims of a token that may act as its user.
    ///
    /// - Throws: `Refusal` of the class `auth`; `forbidden` for the token of a program.
    func userClaims(at door: any RequestDoor) throws(Refusal) -> Claims {
        let claims = try claims(at: door)
        try claims.checkUser()
        return claims
    }

    /// The body as a JSON object.
    ///
    /// - Throws: `Refusal` naming the field that is wrong.
    package func object() throws(Refusal) -> JSONObject {
        do {
            guard let object = try JSONValue(parsingText: body, depthMax: Limits.jsonDepthMax).objectValue else {
                throw Refusal(.badRequest, "the body must be a JSON object")
            }
            return object
        } catch let error as JSONError {
            throw Refusal(error, whole: "the body")
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(.badRequest, "the body must be a JSON object")
        }
    }

    /// `Idempotency-Key`; nil when it is absent.
    ///
    /// - Throws: `Refusal` when it is not of the form.
    package func key() throws(Refusal) -> WriteKey? {
        guard var text = head.headers["Idempotency-Key"] else { return nil }
        // The draft makes it a quoted string; most clients send it bare.
        if text.count >= 2, text.first == "\"", text.last == "\"" { text = String(text.dropFirst().dropLast()) }
        guard let key = WriteKey(text) else {
            throw Refusal.badRequest(field: "Idempotency-Key", "must be \(WriteKey.form)")
        }
        return key
    }

    /// `If-Match`, `If-None-Match: *` or `ifVersion` of the query as the version that must be; nil when none is there.
    package func ifVersion() throws(Refusal) -> Int64? {
        let header = try matchedVersion()
        guard let text = head.target.queryValue("ifVersion") else { return header }
        guard let version = Int64(text), version >= 0 else {
            throw Refusal.badRequest(field: "ifVersion", "must be the number of a version, or 0 for no document")
        }
        guard header == nil || header == version else {
            throw Refusal.badRequest(
                field: "ifVersion", "must be the same as in If-Match or If-None-Match, or absent")
        }
        return version
    }

    private func matchedVersion() throws(Refusal) -> Int64? {
        if let text = head.headers["If-None-Match"] {
            guard text == "*", head.headers["If-Match"] == nil else {
                throw Refusal.badRequest(
                    field: "If-None-Match", "must be * for no document, and without If-Match, which names a version")
            }
            return 0
        }
        guard let text = head.headers["If-Match"] else { return nil }
        guard text.count > 2, text.first == "\"", text.last == "\"", let version = Int64(text.dropFirst().dropLast()),
            version > 0
        else { throw Refusal.badRequest(field: "If-Match", "must be the ETag of a document, such as \"3\"") }
        return version
    }

    /// A query item's value as the size of a page.
    package func limit() throws(Refusal) -> Int {
        guard let text = head.target.queryValue("limit") else { return Limits.pageDefault }
        guard let limit = Int(text), (1...Limits.pageMax).contains(limit) else {
            throw Refusal.badRequest(field: "limit", "must be a number from 1 to \(Limits.pageMax)")
        }
        return limit
    }
}
