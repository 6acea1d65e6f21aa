import Foundation

/// A self-signed certificate for 127.0.0.1, made with the openssl command line.
struct TestCertificate {
    let path: String
    let keyPath: String

    /// - Throws: when openssl is missing or fails.
    init(in folder: String) throws {
        path = folder + "/server.pem"
        keyPath = folder + "/server.key"
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            keyPath, "-out", path, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
        ]
        openssl.standardOutput = FileHandle.nullDevice
        openssl.standardError = FileHandle.nullDevice
        try Remains.own.start(openssl)
        openssl.waitUntilExit()
        Remains.own.ended(openssl)
        guard openssl.terminationStatus == 0 else {
            throw LoadFailure("openssl made no certificate: apt-get install openssl")
        }
    }
}
