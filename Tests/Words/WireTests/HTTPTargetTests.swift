import Testing
import Wire

@Suite struct HTTPTargetTests {
    private func events(_ target: String, method: String = "GET") -> [HTTPRequestEvent] {
        requestEvents("\(method) \(target) HTTP/1.1\r\nHost: header\r\n\r\n")
    }

    @Test(
        arguments: [
            ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//a", ["", "a"]), ("/a%2Fb/c", ["a/b", "c"]),
            ("/%E2%82%AC", ["€"]), ("/a+b", ["a+b"]), ("/a?b/c", ["a"]), ("/user:bob@x.y", ["user:bob@x.y"]),
            ("/...", ["..."]), ("/%25", ["%"]), ("/{a}|b", ["{a}|b"]),
        ] as [(String, [String])]
    )
    func `segments are decoded after they are parted`(target: String, segments: [String]) {
        #expect(requestHead(events(target))?.pathSegments == segments)
    }

    @Test(arguments: [
        "/%", "/%1", "/%zz", "/%C3", "/%C0%80", "/%ED%A0%80", "/%FF", "/a#b", "/é", "a", "*",
        "ftp://a/", "http://", "http:///a", "http://u@a/", "http://a b/",
        "?a", "/?a=%00", "/?%FF", "/?a=%4",
    ])
    func `targets that hide something are refused with 400`(target: String) {
        #expect(violationStatus(events(target)) == 400)
    }

    @Test(
        arguments: [
            ("/%00", ["%00"]), ("/a%0Ab%7f/c", ["a%0Ab%7F", "c"]), ("/%1B%5B2J", ["%1B[2J"]), ("/..", [".."]),
            ("/a/../b", ["a", "..", "b"]), ("/./a", [".", "a"]), ("/%2e%2E", [".."]), ("/%2e", ["."]),
        ] as [(String, [String])]
    )
    func `a path with dots or control characters is known as such, and shows them encoded`(
        target: String, segments: [String]
    ) throws {
        let found = try #require(requestHead(events(target))?.target)
        #expect(found.isUnfit && found.segments == segments)
        #expect(requestHead(events("/a/.b/..c"))?.target.isUnfit == false)
    }

    @Test(arguments: [
        ("http://example.com:81/a?b=c", "example.com:81", "/a"), ("HTTPS://Example.com", "Example.com", "/"),
        ("http://[::1]?b", "[::1]", "/"),
    ])
    func `an absolute target overrides the host`(target: String, authority: String, path: String) {
        let head = requestHead(events(target))
        #expect(head?.authority == authority && head?.path == path)
    }

    @Test func `an asterisk is for OPTIONS`() {
        #expect(requestHead(events("*", method: "OPTIONS"))?.path == "*")
    }

    @Test func `queries are decoded as forms are`() {
        let items = requestHead(events("/?a=1&&b=x=y&c+d=%2B+&=v&%C3%A9"))?.query ?? []
        #expect(items.map(\.name) == ["a", "b", "c d", "", "é"])
        #expect(items.map(\.value) == ["1", "x=y", "+ ", "v", ""])
    }
}
