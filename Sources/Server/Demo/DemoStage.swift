import Authentication
import ClientProtocol
import JSON
package import Model
import Wire

/// What a server that plays the demo serves besides: the page, and a way to be one of the cast.
///
/// Anybody may be anybody here, which is the point of a demo, and why nothing of it exists in a server that was not
/// started as one.
///
/// - Confinement: any
package struct DemoStage: Sendable {
    /// One of the cast.
    package struct Member: Sendable {
        package let id: UserID
        package let name: String
        package let locale: LanguageTag

        package init(id: UserID, name: String, locale: LanguageTag) {
            self.id = id
            self.name = name
            self.locale = locale
        }
    }

    private let people: [Member]
    private let films: [Product]
    private let sign: @Sendable (UserID) -> String

    /// - Parameter sign: makes a token for one of the cast.
    package init(people: [Member], films: [Product], sign: @escaping @Sendable (UserID) -> String) {
        self.people = people
        self.films = films
        self.sign = sign
    }

    /// Nil when the request is for nothing of the demo.
    func route(_ call: HTTPCall) throws(Refusal) -> Route? {
        guard ["GET", "HEAD"].contains(call.head.method) else { return nil }
        switch call.head.path {
        case "/":
            return .now(HTTPResponse(status: 302, headers: ["Location": "/demo"]))
        case "/demo": return .now(Self.page("text/html", PackageResources.chat_html))
        case "/demo/chat.js": return .now(Self.page("text/javascript", PackageResources.chat_js))
        case "/demo/chat.css": return .now(Self.page("text/css", PackageResources.chat_css))
        case "/demo/session": return .now(try session(call))
        default: return nil
        }
    }

    private func session(_ call: HTTPCall) throws(Refusal) -> HTTPResponse {
        guard let name = call.head.target.queryValue("user").flatMap(UserID.init),
            people.contains(where: { $0.id == name })
        else {
            let names = people.map(\.id.text).joined(separator: ", ")
            throw Refusal(.notFound, "the cast is \(names)", field: "user")
        }
        let body: JSONValue = [
            "user": .string(name.text), "token": .string(sign(name)),
            "people": .array(
                people.map {
                    ["id": .string($0.id.text), "name": .string($0.name), "locale": .string($0.locale.text)]
                }),
            "films": .array(
                films.map {
                    [
                        "id": .string($0.id), "title": .string($0.title ?? $0.id),
                        "year": $0.year.map { .integer(Int64($0)) } ?? .null,
                    ]
                }),
        ]
        return HTTPResponse(
            status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body.bytes)
    }

    private static func page(_ type: String, _ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": "\(type); charset=utf-8", "Cache-Control": "no-cache",
                "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
            ], body: bytes)
    }

    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; \
        base-uri 'none'; form-action 'self'; frame-ancestors 'self'
        """
}
