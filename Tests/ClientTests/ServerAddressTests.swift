import Client
import Testing

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
        "http://1.2.3.4:65536", "http://[::1", "http://[::1]9", "http://me@1.2.3.4", "http://1.2.3.4/path",
        "http://1.2.3.4?x", "http://a b",
    ])
    func `what is no server address is refused`(url: String) {
        #expect(throws: ServerAddressError.self) { try ServerAddress(url) }
    }

    @Test(arguments: ["https://127.0.0.1", "wss://127.0.0.1:443"])
    func `TLS is refused by name`(url: String) {
        #expect(throws: ServerAddressError.encrypted(url)) { try ServerAddress(url) }
    }

    @Test func `another scheme and a host name are refused by name`() {
        #expect(throws: ServerAddressError.unknownScheme("ftp://1.2.3.4")) { try ServerAddress("ftp://1.2.3.4") }
        #expect(throws: ServerAddressError.hostName("example.org")) { try ServerAddress("http://example.org") }
    }
}
