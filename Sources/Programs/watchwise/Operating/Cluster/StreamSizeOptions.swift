import ArgumentParser
import Model
import Server

/// The bounds of the journal's stream, for the commands that make it.
struct StreamSizeOptions: ParsableArguments {
    @Option(help: .value("n", "Copies of the journal on different servers: 1, 3 or 5."))
    var replicas = ClusterFounder.Size.standard.replicas
    @Option(help: .value("size", "The oldest entries go when the journal is larger, such as 20GiB or 500MiB."))
    var maxBytes = "20GiB"
    @Option(help: .value("time", "Entries older than this may go, such as 3d; a node away for longer joins again."))
    var maxAge = "3d"

    /// The bounds.
    ///
    /// - Throws: ``CommandFailure`` naming the option that is wrong.
    func size() throws -> ClusterFounder.Size {
        guard [1, 3, 5].contains(replicas) else {
            throw CommandFailure(.misused, "--replicas must be 1, 3 or 5, not \(replicas)")
        }
        guard let bytes = Self.bytes(maxBytes) else {
            throw CommandFailure(.misused, "--max-bytes must be a size such as 20GiB or 500MiB, not '\(maxBytes)'")
        }
        guard let age = TimeSpan(maxAge) else {
            throw CommandFailure(.misused, "--max-age must be \(TimeSpan.form), not '\(maxAge)'")
        }
        return ClusterFounder.Size(replicas: replicas, ageSecondsMax: age.milliseconds / 1000, bytesMax: bytes)
    }

    /// `500MiB` as a number; nil for another form, and for less than a few entries.
    private static func bytes(_ text: String) -> Int64? {
        let units: [(name: String, shift: Int64)] = [("GiB", 30), ("MiB", 20)]
        guard let unit = units.first(where: { text.hasSuffix($0.name) }),
            let count = Int64(text.dropLast(unit.name.count)), (1...1_000_000).contains(count)
        else { return nil }
        let bytes = count << unit.shift
        return bytes >= 64 << 20 ? bytes : nil
    }
}
