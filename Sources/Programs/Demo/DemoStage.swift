import Admin
package import ClientProtocol
import JSON
package import Model
package import Wire

/// The additional pages of a server that plays the demo, and a way to sign in as a member of the cast.
///
/// Everybody may sign in as any member, which is the purpose of a demo. A server that was not started as a demo has
/// none of this.
///
/// - Confinement: any
package struct DemoStage: ServedPages {
    /// A member of the cast.
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

    /// The application on the page.
    package struct Application: Sendable {
        /// `film-network`, for example: which of the pages is shown.
        package let name: String
        package let title: String
        /// The films that its users can recommend.
        package let films: [Product]
        /// The devices shown side by side when the address names nobody: a user and one of the user's devices.
        package let panes: [(user: UserID, device: String?)]

        package init(name: String, title: String, films: [Product] = [], panes: [(user: UserID, device: String?)]) {
            self.name = name
            self.title = title
            self.films = films
            self.panes = panes
        }
    }

    private let application: Application
    private let people: [Member]
    private let sign: @Sendable (UserID) -> String

    /// - Parameter sign: Makes a token for a member of the cast.
    package init(_ application: Application, people: [Member], sign: @escaping @Sendable (UserID) -> String) {
        self.application = application
        self.people = people
        self.sign = sign
    }

    private static let sessionPath = "/demo/session"

    package func owns(_ path: String) -> Bool {
        ["/", "/favicon.ico", "/demo"].contains(path) || path.hasPrefix("/demo/")
    }

    package func givesToken(_ path: String) -> Bool { path == Self.sessionPath }

    package func response(to head: HTTPRequestHead) throws(Refusal) -> HTTPResponse? {
        guard ["GET", "HEAD"].contains(head.method) else { return nil }
        switch head.path {
        case "/":
            return HTTPResponse(status: 302, headers: ["Location": "/demo"])
        case "/favicon.ico":
            return HTTPResponse(status: 302, headers: ["Location": "/demo/icons/\(application.name).svg"])
        case "/demo": return Self.page(DemoFiles.page, for: head)
        case "/demo/stage": return Self.answer(stage)
        case "/demo/manifest.json": return manifest(head)
        case Self.sessionPath: return try session(head)
        default: return DemoFiles.file(at: head.path).map { Self.page($0, for: head) }
        }
    }

    private func session(_ head: HTTPRequestHead) throws(Refusal) -> HTTPResponse {
        guard let name = head.target.queryValue("user").flatMap(UserID.init(_:)),
            people.contains(where: { $0.id == name })
        else {
            let names = people.map(\.id.text).joined(separator: ", ")
            throw Refusal(.notFound, "the cast is \(names)", field: "user")
        }
        var body = stage
        body["user"] = .string(name.text)
        body["token"] = .string(sign(name))
        return Self.answer(body)
    }

    /// The cast and the application.
    private var stage: JSONValue {
        [
            "app": .string(application.name), "title": .string(application.title),
            "people": .array(
                people.map {
                    ["id": .string($0.id.text), "name": .string($0.name), "locale": .string($0.locale.text)]
                }),
            "films": .array(
                application.films.map {
                    [
                        "id": .string($0.id), "title": .string($0.title ?? $0.id),
                        "year": $0.year.map { .integer(Int64($0)) } ?? .null,
                    ]
                }),
            "panes": .array(
                application.panes.map {
                    ["user": .string($0.user.text), "device": $0.device.map { .string($0) } ?? .null]
                }
            ),
        ]
    }

    /// The manifest with which a browser installs the page (W3C, Web Application Manifest); it opens as the user that
    /// installed it.
    private func manifest(_ head: HTTPRequestHead) -> HTTPResponse {
        let user = head.target.queryValue("user").flatMap(UserID.init(_:))
            .flatMap { user in people.first { $0.id == user } }
        let icon: JSONValue = [
            "src": .string("icons/\(application.name).svg"), "sizes": "any", "type": "image/svg+xml",
            "purpose": "any maskable",
        ]
        let bitmap: JSONValue = [
            "src": .string("icons/\(application.name).png"), "sizes": "180x180", "type": "image/png",
        ]
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/manifest+json", "Cache-Control": "no-cache"],
            body: ([
                "name": .string(application.title), "short_name": .string(application.title),
                "id": .string("../demo?user=\(user?.id.text ?? "")"),
                "start_url": .string(user.map { "../demo?user=\($0.id.text)" } ?? "../demo"), "scope": "../demo",
                "display": "standalone", "background_color": "#131214", "theme_color": "#131214",
                "icons": [icon, bitmap],
            ] as JSONValue).bytes)
    }

    private static func answer(_ body: JSONValue) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body.bytes)
    }

    /// A browser asks each time whether a file has changed: the pages and their server are updated together.
    private static func page(_ file: DemoFiles.File, for head: HTTPRequestHead) -> HTTPResponse {
        var headers: HTTPHeaders = [
            "Content-Type": "\(file.type); charset=utf-8", "ETag": file.tag, "Cache-Control": "no-cache",
            "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        ]
        // The page is not in the folder of its service worker, which a browser allows with this header only (Service
        // Workers, "Service-Worker-Allowed").
        if file.isWorker { headers.append("Service-Worker-Allowed", "/demo") }
        if HeldCopies(head.headers).contain(file.tag) { return HTTPResponse(status: 304, headers: headers) }
        return HTTPResponse(status: 200, headers: headers, body: file.bytes)
    }

    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; \
        img-src 'self' data:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; \
        frame-ancestors 'self'
        """
}
