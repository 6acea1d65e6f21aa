package import ClientProtocol
import Gateway
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

    /// The kind of page.
    package enum Page: Sendable {
        /// Chats, with films to recommend; `players` are shown side by side when the address names nobody.
        case chat(films: [Product], players: [UserID])
        case inbox(Inbox)
    }

    /// A page that shows a user's inbox beside documents of an application, both live.
    package struct Inbox: Sendable {
        package let title: String
        /// The collections whose documents are shown; `{user}` stands for the user of the page.
        package let watched: [String]
        /// The devices shown side by side when the address names nobody: a user and one of the user's devices.
        package let panes: [(user: UserID, device: String)]

        package init(title: String, watched: [String], panes: [(user: UserID, device: String)]) {
            self.title = title
            self.watched = watched
            self.panes = panes
        }
    }

    /// The text for somebody who sees the page for the first time.
    package struct Introduction: Sendable {
        /// A description of the application.
        package let about: String
        /// A suggestion of things to try.
        package let trying: String

        package init(about: String, trying: String) {
            self.about = about
            self.trying = trying
        }
    }

    private let introduction: Introduction
    private let people: [Member]
    private let page: Page
    private let sign: @Sendable (UserID) -> String

    /// - Parameter sign: Makes a token for a member of the cast.
    package init(
        _ introduction: Introduction, people: [Member], page: Page, sign: @escaping @Sendable (UserID) -> String
    ) {
        self.introduction = introduction
        self.people = people
        self.page = page
        self.sign = sign
    }

    private static let sessionPath = "/demo/session"

    package func owns(_ path: String) -> Bool { path == "/" || path == "/demo" || path.hasPrefix("/demo/") }

    package func givesToken(_ path: String) -> Bool { path == Self.sessionPath }

    package func response(to head: HTTPRequestHead) throws(Refusal) -> HTTPResponse? {
        guard ["GET", "HEAD"].contains(head.method) else { return nil }
        switch head.path {
        case "/":
            return HTTPResponse(status: 302, headers: ["Location": "/demo"])
        case "/demo": return Self.page("text/html", html)
        case "/demo/stage": return Self.answer(stage)
        case "/demo/connection.js": return Self.page("text/javascript", PackageResources.connection_js)
        case "/demo/notify.js": return Self.page("text/javascript", PackageResources.notify_js)
        case "/demo/push.js": return Self.worker
        case "/demo/chat.js": return Self.page("text/javascript", PackageResources.chat_js)
        case "/demo/chat.css": return Self.page("text/css", PackageResources.chat_css)
        case "/demo/inbox.js": return Self.page("text/javascript", PackageResources.inbox_js)
        case "/demo/inbox.css": return Self.page("text/css", PackageResources.inbox_css)
        case Self.sessionPath: return try session(head)
        default: return nil
        }
    }

    private func session(_ head: HTTPRequestHead) throws(Refusal) -> HTTPResponse {
        guard let name = head.target.queryValue("user").flatMap(UserID.init),
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

    private var html: [UInt8] {
        switch page {
        case .chat: PackageResources.chat_html
        case .inbox: PackageResources.inbox_html
        }
    }

    /// The cast and the content of the page.
    private var stage: JSONValue {
        var stage: JSONValue = [
            "about": .string(introduction.about), "try": .string(introduction.trying),
            "people": .array(
                people.map {
                    ["id": .string($0.id.text), "name": .string($0.name), "locale": .string($0.locale.text)]
                }),
        ]
        switch page {
        case .chat(let films, let players):
            stage["players"] = .array(players.map { .string($0.text) })
            stage["films"] = .array(
                films.map {
                    [
                        "id": .string($0.id), "title": .string($0.title ?? $0.id),
                        "year": $0.year.map { .integer(Int64($0)) } ?? .null,
                    ]
                })
        case .inbox(let inbox):
            stage["title"] = .string(inbox.title)
            stage["watch"] = .array(inbox.watched.map { .string($0) })
            stage["panes"] = .array(
                inbox.panes.map { ["user": .string($0.user.text), "device": .string($0.device)] })
        }
        return stage
    }

    private static func answer(_ body: JSONValue) -> HTTPResponse {
        HTTPResponse(
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

    /// The service worker. Its page is not in its folder, which a browser allows with this header only (Service Workers,
    /// "Service-Worker-Allowed").
    private static var worker: HTTPResponse {
        var response = page("text/javascript", PackageResources.push_js)
        response.headers.append("Service-Worker-Allowed", "/demo")
        return response
    }

    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; \
        base-uri 'none'; form-action 'self'; frame-ancestors 'self'
        """
}
