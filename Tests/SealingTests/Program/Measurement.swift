import Authentication
import Crypto
import Glibc
import JSON

/// The processor time of each operation, alone and as a multiple of one signature, from one run.
struct Measurement {
    let count: Int

    func run() throws {
        guard let point = try SigningKey(.es256).publicKey.point else { throw Mistake("a key has no point") }
        let device = try DeviceKeys(p256dh: point, auth: SecureRandom.bytes(DeviceKeys.secretBytes))
        let (es256, rs256) = (try SigningKey(.es256), try SigningKey(.rs256))
        let (short, long) = (try SecureRandom.bytes(300), try SecureRandom.bytes(3_072))
        let claims: JSONValue = ["aud": "https://push.example.org", "exp": 1_800_000_000, "sub": "mailto:a@b.example"]
        let operations: [(name: String, work: () throws -> Int)] = [
            ("sign ES256", { try es256.sign(short).count }),
            ("seal 300 bytes", { try MessageSealing.seal(short, for: device).count }),
            ("seal 3,072 bytes", { try MessageSealing.seal(long, for: device).count }),
            ("check a device's keys", { try DeviceKeys(p256dh: point, auth: device.secret).point.count }),
            ("make a key of P-256", { try SigningKey(.es256).algorithm.rawValue.utf8.count }),
            ("token ES256", { try JSONWebToken.sign(claims, with: es256).utf8.count }),
            ("token RS256", { try JSONWebToken.sign(claims, with: rs256).utf8.count }),
        ]
        // In turns, so that a slower moment of the machine slows all of them.
        var nanoseconds = [Int64](repeating: 0, count: operations.count)
        var bytes = 0
        for _ in 0..<count {
            for (index, operation) in operations.enumerated() {
                let begin = Self.processorNanoseconds()
                bytes += try operation.work()
                nanoseconds[index] += Self.processorNanoseconds() - begin
            }
        }
        guard bytes > 0 else { throw Mistake("nothing was done") }
        for (operation, time) in zip(operations, nanoseconds) {
            let micros = Double(time) / Double(count) / 1000
            let ratio = Double(time) / Double(nanoseconds[0])
            print("\(operation.name): \(Self.text(micros)) µs, \(Self.text(ratio)) of a signature")
        }
    }

    /// With one digit after the point.
    private static func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

    private static func processorNanoseconds() -> Int64 {
        var time = timespec()
        unsafe _ = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
