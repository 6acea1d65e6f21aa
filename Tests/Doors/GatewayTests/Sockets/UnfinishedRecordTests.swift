import Configuration
import Crypto
import Foundation
import Model
import TestSupport
import Testing

/// Incomplete records of a TLS connection: they count, and end in time.
@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct UnfinishedRecordTests {
    private let certificates: Certificates

    init() throws { certificates = try #require(Certificates.made) }

    private func server() throws -> LoopRig {
        try LoopRig {
            $0.tlsCertificate = certificates.certificate("ec")
            $0.tlsKey = certificates.key("ec")
            $0.requestMilliseconds = 1500
        }
    }

    /// The client's side of a connection: the engine, and the socket below it.
    private struct Client {
        let engine: TLSEngine
        let socket: TCPSocket

        init(_ server: LoopRig, _ certificates: Certificates, _ version: TLSVersion = .v13) throws {
            let context = try TLSContext(trust: .authorities(path: certificates.authority), newest: version)
            engine = try TLSEngine(context, host: "localhost")
            socket = try TCPSocket(port: server.port)
        }

        func open() throws {
            try socket.send(engine.takeCiphertext())
            while engine.state == .handshaking {
                guard try read() != nil else { throw TCPSocket.Failure(description: "ended in the handshake") }
                let answer = engine.takeCiphertext()
                if !answer.isEmpty { try socket.send(answer) }
            }
        }

        /// Reads once.
        /// - Returns: the plaintext; nil at the end.
        func read() throws -> [UInt8]? {
            let bytes = try socket.receive()
            guard !bytes.isEmpty else { return nil }
            var plaintext: [UInt8] = []
            unsafe bytes.withUnsafeBytes { _ = unsafe engine.receive($0.bytes, into: &plaintext) }
            return plaintext
        }

        func seal(_ text: String) -> [UInt8] {
            unsafe Array(text.utf8).withUnsafeBytes { _ = unsafe engine.write($0.bytes) }
            return engine.takeCiphertext()
        }

        /// Becomes a session that has not said hello.
        func upgrade() throws {
            try socket.send(seal(WebSocketPeer.upgrade("/v1/ws")))
            var text = ""
            while !text.contains("\r\n\r\n") {
                guard let more = try read() else { throw TCPSocket.Failure(description: "ended in the upgrade") }
                text += String(decoding: more, as: UTF8.self)
            }
        }

        /// Waits until the connection ends, or a session gets `bye`.
        func waitForEnd() throws {
            while let bytes = try read(), bytes.first != 0x88 {}
        }

        /// A number of the metrics.
        func metric(_ name: String) throws -> Int {
            try socket.send(seal("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            var text = ""
            while !text.contains("watchwise_silenced_total{") {
                guard let more = try read() else { break }
                text += String(decoding: more, as: UTF8.self)
            }
            let line = text.split(separator: "\n").first { $0.hasPrefix("watchwise_\(name) ") }
            return line.flatMap { Int($0.split(separator: " ")[1]) } ?? -1
        }
    }

    /// Waits until something holds, twenty seconds at most, and does something meanwhile.
    private func wait(for what: Comment, doing work: () -> Void = {}, until holds: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(20)
        while try !holds() {
            guard ContinuousClock.now < end else {
                Issue.record(what)
                return
            }
            work()
            Thread.pause(milliseconds: 50)
        }
    }

    /// A record that announces 16 KiB and brings less, and a hello to fill it.
    private static let beginning: [UInt8] =
        [22, 3, 1, 0x3f, 0xf0, 1, 0, 0x3f, 0xec, 3, 3] + [UInt8](repeating: 7, count: 6000)

    @Test func `a handshake that is not whole counts, and ends in time however it trickles`() throws {
        let server = try server()
        defer { server.stop() }
        let watcher = try Client(server, certificates)
        try watcher.open()
        let sockets = try (0..<100).map { _ in try TCPSocket(port: server.port) }
        for socket in sockets { try socket.send(Self.beginning) }
        try wait(for: "the bytes count") { try watcher.metric("held_bytes") >= 100 * 6000 }
        try wait(for: "all end", doing: { for socket in sockets { try? socket.send([7]) } }) {
            try watcher.metric("held_bytes") < 70_000
                && sockets.allSatisfy { $0.isReadable(withinMilliseconds: 0) }
        }
    }

    @Test func `a handshake of more than 16 KiB is not waited for`() throws {
        let server = try server()
        defer { server.stop() }
        let socket = try TCPSocket(port: server.port)
        var stream: [UInt8] = [22, 3, 1, 0, 4, 1, 0x01, 0xff, 0xf0]
        for _ in 0..<7 { stream += [22, 3, 1, 0x10, 0] + [UInt8](repeating: 0, count: 0x1000) }
        try? socket.send(stream)
        #expect(socket.isReadable(withinMilliseconds: 10_000))
    }

    @Test(arguments: [false, true])
    func `a record that is not whole ends in time where nothing else has an end so soon`(isSession: Bool) throws {
        let server = try LoopRig {
            $0.tlsCertificate = certificates.certificate("ec")
            $0.tlsKey = certificates.key("ec")
            $0.requestMilliseconds = 500
            $0.helloMilliseconds = 60_000
        }
        defer { server.stop() }
        let (idle, client) = (try Client(server, certificates), try Client(server, certificates))
        for each in [idle, client] {
            try each.open()
            // A client that was answered has a minute for the next request, and a session the same time for its hello.
            if isSession { try each.upgrade() } else { #expect(try each.metric("connections") > 0) }
        }
        let record = client.seal(String(repeating: "x", count: 16_000))
        try client.socket.send(Array(record.prefix(12_000)))
        try client.waitForEnd()
        if isSession {
            #expect(!idle.socket.isReadable(withinMilliseconds: 0))
        } else {
            #expect(try idle.metric("connections") > 0)
        }
    }

    @Test(arguments: [TLSVersion.v12, .v13])
    func `a record that is not whole counts after the handshake, and ends in time`(version: TLSVersion) throws {
        let server = try server()
        defer { server.stop() }
        let watcher = try Client(server, certificates)
        try watcher.open()
        let clients = try (0..<20).map { _ in try Client(server, certificates, version) }
        for client in clients {
            try client.open()
            let record = client.seal(String(repeating: "x", count: 16_000))
            try client.socket.send(Array(record.prefix(12_000)))
        }
        // The loop publishes its held bytes in steps of 64 KiB.
        try wait(for: "the bytes count") { try watcher.metric("held_bytes") >= 20 * 12_000 - 2 * 65_536 }
        try wait(for: "all end") {
            try watcher.metric("held_bytes") < 70_000 && watcher.metric("connections") == 1
        }
    }
}
