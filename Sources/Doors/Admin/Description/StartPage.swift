import ClientProtocol
import Configuration
import Wire

/// The page at `/`, for a person who opens the address of a server: it names the program, the first steps and the documents.
///
/// - Confinement: any
enum StartPage {
    static let route = OpenRoute(
        "GET", "/", "start.get",
        form: RouteForm("A page for people: what this is, and the first steps.", .other("text/html", or: "text/plain"))
    ) { call, door in
        // An application that is served here has a page of its own.
        door.settings.pages?.owns("/") == true ? nil : .now(response(to: call))
    }

    /// As HTML where the client asks for it, as a browser does; as plain text where it does not, as `curl` does.
    private static func response(to call: HTTPCall) -> HTTPResponse {
        let isPage = call.head.headers["Accept"]?.contains("text/html") == true
        return HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": isPage ? "text/html; charset=utf-8" : "text/plain; charset=utf-8",
                "Vary": "Accept", "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "Content-Security-Policy":
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ],
            body: isPage ? html : text)
    }

    private static let about = "A server for chats, notifications and documents that change, over WebSockets and HTTP."

    /// The first steps: a sentence, and the command or the address that it is about.
    private static let steps: [(sentence: String, subject: String)] = [
        ("A token for a person, made on the server's machine", "watchwise token alice"),
        ("The events that reach this person, shown in a terminal", "watchwise listen alice"),
        ("A small application with pages, on a server of its own", "watchwise demo"),
        ("Everything that the command line can do", "watchwise help"),
    ]

    /// The documents for those who write clients.
    private static let documents: [(path: String, sentence: String)] = [
        ("/v1/openapi.json", "the HTTP interface (OpenAPI)"),
        ("/v1/asyncapi.json", "the commands and events of a WebSocket (AsyncAPI)"),
        ("/v1/sdk/watchwise.js", "the library for browsers and Node"),
        ("/readyz", "whether the server takes writes"),
    ]

    private static let html = Array(
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark">
        <title>WatchWise</title>
        <style>
        body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 10vh auto; padding: 0 1.5rem }
        h1 small { font-weight: normal; opacity: .7 }
        dt { margin-top: .75rem }
        dd { margin: 0 }
        </style>
        </head>
        <body>
        <main>
        <h1>WatchWise <small>\(ProgramVersion.current)</small></h1>
        <p>\(about) It runs. This page is all that it shows in a browser: applications connect to it.</p>
        <h2>First steps</h2>
        <dl>
        \(steps.map { "<dt>\($0.sentence)</dt>\n<dd><code>\($0.subject)</code></dd>" }.joined(separator: "\n"))
        </dl>
        <h2>For applications</h2>
        <ul>
        \(documents.map { "<li><a href=\"\($0.path.dropFirst())\">\($0.path)</a>: \($0.sentence)</li>" }.joined(separator: "\n"))
        </ul>
        </main>
        </body>
        </html>

        """.utf8)

    private static let text = Array(
        """
        WatchWise \(ProgramVersion.current)
        \(about)

        First steps
        \(steps.map { "  \($0.subject)\n      \($0.sentence)" }.joined(separator: "\n"))

        For applications
        \(documents.map { "  \($0.path)\n      \($0.sentence)" }.joined(separator: "\n"))

        """.utf8)
}
