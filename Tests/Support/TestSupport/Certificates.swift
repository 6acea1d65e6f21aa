import Foundation

/// Certificates for tests, made by the `openssl` command line when the first test asks for them: an authority, a server
/// with a key of each kind, an expired one, and a self-signed one.
/// - Confinement: any
package struct Certificates: Sendable {
    /// Nil when there is no `openssl` to make them.
    package static let made: Certificates? = {
        let folder = NSTemporaryDirectory() + "/watchwise-certificates-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let certificates = Certificates(folder: folder)
            try certificates.make()
            unsafe madeFolder = folder
            atexit { try? FileManager.default.removeItem(atPath: unsafe madeFolder) }
            return certificates
        } catch {
            return nil
        }
    }()
    package static let isMissing = "the openssl command line is not there"
    private nonisolated(unsafe) static var madeFolder = ""

    package let folder: String
    package var authority: String { folder + "/ca.pem" }

    /// The file of a certificate.
    package func certificate(_ name: String) -> String { "\(folder)/\(name).pem" }
    /// The file of its key.
    package func key(_ name: String) -> String { "\(folder)/\(name).key" }

    private func make() throws {
        let p256 = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        try sign("ca", p256, ["-subj", "/CN=authority"])
        try issue("ec", p256)
        try issue("rsa", ["rsa:2048"])
        try issue("ed25519", ["ed25519"])
        try issue("expired", p256, days: "-1")
        try issue("small", ["rsa:1024"])
        try sign("stranger", p256, Certificates.names)
        try openssl(["pkey", "-in", "ec.key", "-aes128", "-passout", "pass:word", "-out", "encrypted.key"])
        let chain = try Data(contentsOf: file("ec.pem")) + Data(contentsOf: file("ca.pem"))
        try chain.write(to: file("chain.pem"))
        try FileManager.default.copyItem(at: file("ec.key"), to: file("chain.key"))
        let torn = Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        try (chain + torn).write(to: file("torn.pem"))
        try Data("no key\n".utf8).write(to: file("text.key"))
        try Data().write(to: file("empty.pem"))
    }

    private static let names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]

    private func file(_ name: String) -> URL { URL(fileURLWithPath: "\(folder)/\(name)") }

    /// Makes a self-signed certificate.
    private func sign(_ name: String, _ kind: [String], _ names: [String]) throws {
        let new = ["req", "-x509", "-newkey"] + kind + ["-nodes", "-keyout", "\(name).key", "-out", "\(name).pem"]
        try openssl(new + names + ["-days", "2"])
    }

    /// Makes a certificate that the authority signs.
    private func issue(_ name: String, _ kind: [String], days: String = "2") throws {
        let new = ["req", "-new", "-newkey"] + kind + ["-nodes", "-keyout", "\(name).key", "-out", "\(name).csr"]
        try openssl(new + Certificates.names)
        let signed = ["x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", days]
        try openssl(signed + ["-copy_extensions", "copyall", "-out", "\(name).pem"])
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw CocoaError(.executableLoad) }
    }
}
