import EventLoop
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: ["127.0.0.1:8080", "0.0.0.0:0", "255.1.2.3:65535", "[::1]:8080", "[2001:db8::a:1]:443"])
    func `an address is read and written back`(text: String) throws {
        #expect(try SocketAddress(text).description == text)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 1",
        "localhost:80", "::1:80", "[::1]", "[]:80", "[127.0.0.1]:80", "127.0.0:80", "1.2.3.4\0:80", "[::1]x:80",
    ])
    func `a text that is not an address is refused`(text: String) {
        #expect(throws: UVError.invalid) { _ = try SocketAddress(text) }
    }

    @Test func `an error says its symbol and its sentence`() {
        #expect(UVError.timedOut.description == "ETIMEDOUT: connection timed out")
    }

    @Test(arguments: [
        ("localhost", ["127.0.0.1:80", "[::1]:80"]), ("127.0.0.5", ["127.0.0.5:80"]), ("::1", ["[::1]:80"]),
    ])
    func `a name is looked up, and an address is itself`(host: String, expected: [String]) throws {
        try withLoop { loop in
            let found = try loop.resolve(host: host, port: 80).map(\.description)
            #expect(!found.isEmpty)
            #expect(Set(expected).isSuperset(of: found))
            loop.stop()
        }
    }
}
