import Foundation

/// Finds a port for a server that cannot choose one itself.
enum FreePort {
    /// Tries ports in turn; another program may still take the port, and then the server reports it.
    static func find() throws -> Int {
        for _ in 0..<200 {
            let port = Int.random(in: range)
            if (ProcessMeter.text("/proc/net/tcp") ?? "").contains(":" + hexadecimal(port) + " ") { continue }
            return port
        }
        throw LoadFailure("no port is free")
    }

    /// Below the ports that the kernel uses for outgoing connections.
    private static let range = 20_000...30_000

    private static func hexadecimal(_ port: Int) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
