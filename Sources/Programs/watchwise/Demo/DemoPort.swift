import EventLoop

/// Chooses the port of a demo when none is given: a port other than that of a server, or the next free one.
enum DemoPort {
    private static let first: UInt16 = 8088
    private static let tried: UInt16 = 20

    /// `127.0.0.1:8088`, or the next port on which no program listens. If twenty are taken, port 0, for any free port.
    static func free() -> String {
        let port = (first..<first + tried).first { isFree($0) } ?? 0
        return "127.0.0.1:\(port)"
    }

    /// A message for a user who expects the demo at its usual port; nil when it is there.
    static func taken(before port: UInt16) -> String? {
        port == first ? nil : "port \(first) is taken by another program, so the demo is at \(port)"
    }

    private static func isFree(_ port: UInt16) -> Bool {
        guard let address = try? SocketAddress(host: "127.0.0.1", port: port) else { return false }
        return (try? TCPListener.checkFree(address)) != nil
    }
}
