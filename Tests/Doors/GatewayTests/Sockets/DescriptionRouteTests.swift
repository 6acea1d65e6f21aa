import Configuration
import JSON
import TestSupport
import Testing
import WebLibrary

/// The documents that describe the server's own interfaces, and the library for browsers.
struct DescriptionRouteTests {
    @Test func `both documents are given without a token, and name what the server serves`() throws {
        let server = try LoopRig()
        defer { server.stop() }
        let anybody = try HTTPPeer(port: server.port)
        let document = { (target: String) in try anybody.request("GET", target).json() }
        let openAPI = try document("/v1/openapi.json")
        #expect(openAPI["openapi"] == "3.1.0")
        #expect(openAPI["paths"]?["/v1/erasures/{erasure}"]?["get"]?["operationId"] == "erasure.get")
        let asyncAPI = try document("/v1/asyncapi.json")
        #expect(asyncAPI["asyncapi"] == "3.0.0")
        #expect(asyncAPI["components"]?["messages"]?["command.send"] != nil)
    }

    @Test func `the address of a server shows a person a page, and a program the same as text`() throws {
        let server = try LoopRig()
        defer { server.stop() }
        let peer = try HTTPPeer(port: server.port)
        let page = try peer.request("GET", "/", headers: [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")])
        #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
        let text = try peer.request("GET", "/")
        #expect(text.status == 200 && text.headers["content-type"] == "text/plain; charset=utf-8")
        for answer in [page, text] {
            #expect(answer.headers["vary"] == "Accept")
            for part in ["WatchWise", ProgramVersion.current, "watchwise token alice", "watchwise demo"] {
                #expect(answer.text.contains(part), "\(part) in \(answer.text)")
            }
        }
        // Links stay below the path at which a proxy has the server.
        let links = page.text.matches(of: /href="([^"]+)"/).map { String($0.1) }
        #expect(links.count == 4)
        for link in links {
            #expect(!link.hasPrefix("/"))
            #expect(try peer.request("GET", "/" + link).status == 200, "\(link)")
        }
        let head = try peer.request("HEAD", "/")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(try peer.request("POST", "/").status == 405)
        #expect(try peer.request("GET", "/nothing").status == 404)
    }

    @Test func `the files of the library are served to anybody, and sent again only when they have changed`() throws {
        let server = try LoopRig()
        defer { server.stop() }
        let peer = try HTTPPeer(port: server.port)
        for file in ClientLibrary.files {
            let target = "/v1/sdk/" + file.name
            let first = try peer.request("GET", target)
            #expect(first.status == 200 && first.body == file.bytes)
            #expect(first.headers["content-type"] == file.type + "; charset=utf-8")
            let tag = try #require(first.headers["etag"])
            let second = try peer.request("GET", target, headers: [("If-None-Match", tag)])
            #expect(second.status == 304 && second.body.isEmpty)
            #expect(try peer.request("GET", target, headers: [("If-None-Match", "\"other\"")]).status == 200)
            #expect(try peer.request("POST", target, body: [0x7b, 0x7d]).status == 405)
        }
        let missing = try peer.request("GET", "/v1/sdk/jquery.js")
        #expect(
            missing.status == 404 && missing.text.contains("there are: watchwise-elements.js, watchwise-live.js"),
            "\(missing.text)"
        )
        #expect(Set(ClientLibrary.files.map(\.tag)).count == ClientLibrary.files.count)
    }
}
