import ClientProtocol
import WebLibrary
import Wire

/// The material of a client: the documents of the API, and the library for browsers and Node.
///
/// - Confinement: any
enum DescriptionRoutes {
    /// - Parameter openAPI: the document made from all routes.
    static func all(openAPI: @escaping @Sendable () -> [UInt8]) -> [OpenRoute] {
        [
            OpenRoute("GET", "/v1/openapi.json", "openapi.get", form: RouteForm("This document.", .json(.open))) {
                _, _ in .now(.json(openAPI()))
            },
            OpenRoute(
                "GET", "/v1/asyncapi.json", "asyncapi.get",
                form: RouteForm("The AsyncAPI 3 document of the commands and events of sessions.", .json(.open))
            ) { _, _ in .now(.json(AsyncAPI.bytes)) },
            library(
                "watchwise.js", "sdk.module",
                "The library for browsers and Node: the one module that a page names. It loads others of this folder."),
            library(
                "watchwise-live.js", "sdk.live", "The small library: events, counts and the inbox, without a store."),
            library(
                "watchwise-elements.js", "sdk.elements",
                "Two elements for pages, a bell with its inbox and a chat; they load the library."),
            library("watchwise.d.ts", "sdk.types", "The types of the library, for TypeScript.", "text/plain"),
            library("watchwise-sqlite.js", "sdk.sqlite", "The part of the library that keeps a file in Node."),
            library(
                "watchwise-worker.js", "sdk.worker",
                "The service worker of the library, which shows pushes; it may have any scope."),
            library("{file}", "sdk.file", nil),
            library("src/{file}", "sdk.source", nil),
        ]
    }

    private static func library(
        _ name: String, _ action: String, _ summary: String?, _ type: String = "text/javascript"
    ) -> OpenRoute {
        OpenRoute("GET", "/v1/sdk/\(name)", action, form: summary.map { RouteForm($0, .other(type)) }) {
            call, _ throws(Refusal) in
            .now(try libraryFile(call.head.pathSegments.dropFirst(2).joined(separator: "/"), for: call))
        }
    }

    /// A file of the library for browsers and Node. A browser asks each time whether it has changed: an application and its
    /// server are updated together.
    private static func libraryFile(_ name: String, for call: HTTPCall) throws(Refusal) -> HTTPResponse {
        guard let file = ClientLibrary.file(named: name) else {
            let names = ClientLibrary.modules.map(\.name).joined(separator: ", ")
            throw Refusal(.notFound, "there is no file '\(name.prefix(64))' in the SDK; there are: \(names)")
        }
        var headers: HTTPHeaders = [
            "Content-Type": file.type + "; charset=utf-8", "ETag": file.tag, "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
        ]
        // An application may choose any scope for the worker (Service Workers, "Service-Worker-Allowed").
        if file.name == "watchwise-worker.js" { headers.append("Service-Worker-Allowed", "/") }
        if HeldCopies(call.head.headers).contain(file.tag) { return HTTPResponse(status: 304, headers: headers) }
        return HTTPResponse(status: 200, headers: headers, body: file.bytes)
    }
}

extension HTTPResponse {
    /// A document that describes the server.
    fileprivate static func json(_ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
    }
}
