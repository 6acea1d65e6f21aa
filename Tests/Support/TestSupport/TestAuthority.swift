import Crypto
internal import Foundation

/// An authority and a server's certificate for `localhost` and 127.0.0.1, made by the `openssl` command line.
/// - Confinement: any
package final class TestAuthority: Sendable {
    /// Nil when there is no `openssl` to make it.
    package static let made = try? TestAuthority()

    private let folder = TemporaryFolder()
    private let context: TLSContext
    /// Path of the authority's certificate.
    package var certificate: String { folder.path + "/ca.pem" }
    /// Path of the server's certificate.
    package var serverCertificate: String { folder.path + "/server.pem" }
    /// Path of the server's key.
    package var serverKey: String { folder.path + "/server.key" }

    private init() throws {
        let path = folder.path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        let names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        for arguments in [
            ["req", "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"] + key,
            ["req", "-new", "-keyout", "server.key", "-out", "server.csr"] + key + names,
            ["x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2"]
                + ["-copy_extensions", "copyall", "-out", "server.pem"],
        ] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl"] + arguments
            process.currentDirectoryURL = URL(fileURLWithPath: path)
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw TCPSocket.Failure(description: "openssl failed") }
        }
        context = try TLSContext(
            certificatePath: path + "/server.pem",
            keyPath: path + "/server.key",
            ticketKeys: TLSTicketKeys()
        )
    }

    /// The server's side of TLS for a ``WebServer``.
    package func cipher() throws -> any WebServer.Cipher { TLSCipher(engine: try TLSEngine(context)) }
}

/// A server's engine.
private struct TLSCipher: WebServer.Cipher {
    let engine: TLSEngine

    func open(_ bytes: [UInt8], into plain: inout [UInt8]) -> [UInt8] {
        bytes.withRawSpan { _ = engine.receive($0, into: &plain) }
        return engine.takeCiphertext()
    }

    func seal(_ plain: [UInt8]) -> [UInt8] {
        plain.withRawSpan { _ = engine.write($0) }
        engine.shutdown()
        return engine.takeCiphertext()
    }
}

extension [UInt8] {
    fileprivate func withRawSpan(_ body: (RawSpan) -> Void) {
        unsafe withUnsafeBytes { bytes in body(unsafe bytes.bytes) }
    }
}
