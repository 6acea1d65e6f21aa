import Crypto
import Foundation
import TestSupport

/// Paths of the TLS engine, as a server's connection uses it.
extension Benchmark {
    private static let recordsPerRound = 100
    private static let message = Array(Samples.send.utf8)

    static let encryption = [
        Benchmark("decrypt-record", of: "record", "a message arrives in a record of an open TLS connection") {
            counter in
            let (client, server) = try openEngines()
            var plaintext: [UInt8] = []
            try counter.repeating {
                let records = (0..<recordsPerRound).map { _ in
                    message.withRawSpan { _ = client.write($0) }
                    return client.takeCiphertext()
                }
                plaintext.removeAll(keepingCapacity: true)
                try counter.count(recordsPerRound) {
                    for record in records { record.withRawSpan { _ = server.receive($0, into: &plaintext) } }
                }
                guard plaintext.count == records.count * message.count else { throw Mistake("not all was decrypted") }
            }
        },
        calling("encrypt-record", of: "record", "a message becomes a record of an open TLS connection") {
            let (_, server) = try openEngines()
            return {
                message.withRawSpan { _ = server.write($0) }
                return server.takeCiphertext().count
            }
        },
    ]

    private static func openEngines() throws -> (client: TLSEngine, server: TLSEngine) {
        let folder = TemporaryFolder().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (certificate, key) = (folder + "/certificate.pem", folder + "/key.pem")
        try Samples.certificate.write(toFile: certificate, atomically: false, encoding: .utf8)
        try Samples.certificateKey.write(toFile: key, atomically: false, encoding: .utf8)
        let context = try TLSContext(certificatePath: certificate, keyPath: key, ticketKeys: TLSTicketKeys())
        let server = try TLSEngine(context)
        let client = try TLSEngine(TLSContext(trust: .anyone), host: "localhost")
        var plaintext: [UInt8] = []
        while client.ciphertextBytes + server.ciphertextBytes > 0 {
            client.takeCiphertext().withRawSpan { _ = server.receive($0, into: &plaintext) }
            server.takeCiphertext().withRawSpan { _ = client.receive($0, into: &plaintext) }
        }
        guard server.state == .open else { throw Mistake("the two ends did not agree") }
        return (client, server)
    }
}

extension [UInt8] {
    fileprivate func withRawSpan(_ body: (RawSpan) -> Void) {
        unsafe withUnsafeBytes { bytes in body(unsafe bytes.bytes) }
    }
}
