import Client
import Testing
import Wire

@Suite struct ServerAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080"),
        ("http://127.0.0.1", "127.0.0.1:80", "127.0.0.1"),
        ("HTTP://localhost:81/", "127.0.0.1:81", "localhost:81"),
        ("ws://[::1]:9", "[::1]:9", "[::1]:9"),
        ("http://[::1]", "[::1]:80", "[::1]"),
    ])
    func `a URL names an address and an authority`(url: String, address: String, authority: String) throws {
        let server = try ServerAddress(url)
        #expect("\(server.socketAddress)" == address)
        #expect(server.authority == authority)
    }

    @Test(arguments: [
        "", "127.0.0.1:8080", "http:", "http://", "http://:80", "http://1.2.3.4:", "http://1.2.3.4:x",
        "http://1.2.3.4:0",
        "http://1.2.3.4:65536", "http://[::1", "http://[::1]9", "http://me@1.2.3.4", "http://1.2.3.4?x", "http://a b",
        "http://1.2.3.4/a?x", "http://1.2.3.4/a#x", "http://1.2.3.4/a//b", "http://1.2.3.4//", "http://1.2.3.4/a/../b",
        "http://1.2.3.4/./a", "http://1.2.3.4/a b", "http://1.2.3.4/ü",
    ])
    func `a text that is not a server address is refused`(url: String) {
        #expect(throws: ServerAddressError.self) { try ServerAddress(url) }
    }

    @Test(arguments: [
        ("http://127.0.0.1", ""), ("http://127.0.0.1/", ""), ("http://127.0.0.1:81/chat", "/chat"),
        ("http://[::1]:9/a/b/", "/a/b"), ("ws://127.0.0.1/~me/a.b-c_d%20e", "/~me/a.b-c_d%20e"),
    ])
    func `the path of a URL goes before each target`(url: String, path: String) throws {
        let server = try ServerAddress(url)
        #expect(server.basePath == path && server.description.hasSuffix(server.authority + path))
        let exchange = try HTTPExchange(
            HTTPRequest(method: "GET", target: "/v1/stats"), authority: server.authority, basePath: server.basePath)
        #expect(String(decoding: exchange.requestBytes, as: UTF8.self).hasPrefix("GET \(path)/v1/stats HTTP/1.1\r\n"))
    }

    @Test(arguments: ["https://127.0.0.1", "wss://127.0.0.1:443", "HTTPS://localhost"])
    func `https and wss mean TLS on port 443`(url: String) throws {
        let server = try ServerAddress(url)
        #expect("\(server.socketAddress)" == "127.0.0.1:443")
        #expect(server.encryption != nil)
        #expect(server.description.hasPrefix("https://"))
        #expect(try ServerAddress("http://127.0.0.1").encryption == nil)
    }

    @Test func `another scheme and a host that is not found are refused by name`() {
        #expect(throws: ServerAddressError.unknownScheme("ftp://1.2.3.4")) { try ServerAddress("ftp://1.2.3.4") }
        do {
            _ = try ServerAddress("http://nowhere.invalid")
            Issue.record("a name of .invalid was found")
        } catch {
            #expect(error.description.hasPrefix("the host 'nowhere.invalid' is not found"))
        }
    }
}
