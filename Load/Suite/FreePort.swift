import Foundation

/// A port for a server that cannot choose one itself.
enum FreePort {
    /// Tries ports in turn; another program may take the one found, and then the server says so.
    static func find() throws -> Int {
        for _ in 0..<200 {
            let port = Int.random(in: range)
            if (ProcessMeter.text("/proc/net/tcp") ?? "").contains(":" + hexadecimal(port) + " ") { continue }
            return port
        }
        throw LoadFailure("no port is free")
    }

    /// Below those that the kernel gives to outgoing connections.
    private static let range = 20_000...30_000

    private static func hexadecimal(_ port: Int) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
