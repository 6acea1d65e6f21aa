internal import Foundation
import Glibc
import Synchronization

/// An HTTP server for tests on a port of its own: it gives the answers of the test, with a thread for each connection.
///
/// It does not use the modules under test. It answers one request for each connection, then closes.
/// - Confinement: any
package final class WebServer: Sendable {
    /// A received request.
    package struct Request: Sendable {
        package let method: String
        package let target: String
        /// Names in small letters.
        package let headers: [String: String]
        package let body: [UInt8]
    }

    /// An answer to send.
    package struct Answer: Sendable {
        package var status = 200
        package var headers: [(String, String)] = []
        package var body: [UInt8] = []
        /// The time to wait before anything is sent.
        package var delayMilliseconds = 0
        /// Sent instead of everything else.
        package var raw: [UInt8]?

        package init(status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        var bytes: [UInt8] {
            if let raw { return raw }
            var head = "HTTP/1.1 \(status) Status\r\nConnection: close\r\n"
            if status != 304 { head += "Content-Length: \(body.count)\r\n" }
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            return Array((head + "\r\n").utf8) + body
        }
    }

    /// A layer between the socket and the server: TLS, made by the test.
    package protocol Cipher {
        /// Takes received bytes and appends their plaintext to `plain`.
        /// - Returns: what must be sent back.
        mutating func open(_ bytes: [UInt8], into plain: inout [UInt8]) -> [UInt8]
        /// The bytes to send for a plaintext, with the end of TLS.
        mutating func seal(_ plain: [UInt8]) -> [UInt8]
    }

    private let listener: LoopbackListener
    private let answer: Mutex<@Sendable (Request) -> Answer>
    private let seen = Mutex<[Request]>([])

    /// Starts the server.
    /// - Parameter port: Where it listens; 0 is a free port.
    package init(
        on port: UInt16 = 0,
        cipher: (@Sendable () throws -> any Cipher)? = nil,
        _ answer: @escaping @Sendable (Request) -> Answer
    ) throws {
        self.answer = Mutex(answer)
        listener = try LoopbackListener(on: port)
        listener.accept { [self] accepted in
            Thread.detachNewThread { [self] in
                if let cipher = try? cipher?() { serve(accepted, cipher) } else { serve(accepted, nil) }
                _ = Glibc.close(accepted)
            }
        }
    }

    package var port: UInt16 { listener.port }

    /// Stops listening.
    package func stop() { listener.stop() }

    /// The requests so far, in the order of arrival.
    package var requests: [Request] { seen.withLock { $0 } }

    /// Changes the answers from now on.
    package func setAnswer(_ new: @escaping @Sendable (Request) -> Answer) { answer.withLock { $0 = new } }

    private func serve(_ descriptor: Int32, _ cipher: (any Cipher)?) {
        var cipher = cipher
        var plain: [UInt8] = []
        var request: Request?
        while request == nil {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            if cipher == nil {
                plain += buffer[..<count]
            } else if let reply = cipher?.open(Array(buffer[..<count]), into: &plain) {
                WebServer.send(reply, on: descriptor)
            }
            request = WebServer.request(in: plain)
        }
        guard let request else { return }
        seen.withLock { $0.append(request) }
        let answer = answer.withLock { $0 }(request)
        if answer.delayMilliseconds > 0 { usleep(UInt32(answer.delayMilliseconds) * 1000) }
        WebServer.send(cipher?.seal(answer.bytes) ?? answer.bytes, on: descriptor)
        // Bytes that the client still sends must not turn the end into a reset.
        _ = shutdown(descriptor, Int32(SHUT_WR))
        var rest = [UInt8](repeating: 0, count: 4096)
        while unsafe recv(descriptor, &rest, rest.count, 0) > 0 {}
    }

    private static func request(in bytes: [UInt8]) -> Request? {
        guard let headEnd = bytes.firstIndex(of: Array("\r\n\r\n".utf8)) else { return nil }
        var lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n").map(String.init)
        let start = lines.removeFirst().split(separator: " ").map(String.init)
        var headers: [String: String] = [:]
        for line in lines {
            let sides = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers[sides[0].lowercased()] = sides.count > 1 ? String(sides[1].drop { $0 == " " }) : ""
        }
        let body = Array(bytes[(headEnd + 4)...])
        guard start.count > 1, body.count >= Int(headers["content-length"] ?? "0") ?? 0 else { return nil }
        return Request(method: start[0], target: start[1], headers: headers, body: body)
    }

    private static func send(_ bytes: [UInt8], on descriptor: Int32) {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            sent += count
        }
    }
}
