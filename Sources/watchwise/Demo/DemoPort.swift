import EventLoop

/// The port of a demo without a given port: a port of its own, not that of a server, or the next free one.
enum DemoPort {
    private static let first: UInt16 = 8088
    private static let tried: UInt16 = 20

    /// `127.0.0.1:8088`, or with the first port after it on which nobody listens; port 0, any free one, where that is
    /// none of twenty.
    static func free() -> String {
        let port = (first..<first + tried).first { isFree($0) } ?? 0
        return "127.0.0.1:\(port)"
    }

    /// The sentence for somebody who expects the demo at its own port; nil when it is there.
    static func taken(before port: UInt16) -> String? {
        port == first ? nil : "port \(first) is taken by another program, so the demo is at \(port)"
    }

    private static func isFree(_ port: UInt16) -> Bool {
        guard let address = try? SocketAddress(host: "127.0.0.1", port: port) else { return false }
        return (try? TCPListener.checkFree(address)) != nil
    }
}
