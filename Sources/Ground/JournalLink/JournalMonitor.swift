import JSON
package import Outbound

/// The answer of the monitoring port of one server.
/// - Confinement: any
package struct JournalServerReport: Sendable, Hashable {
    /// The server's name.
    package let name: String
    /// Its version; nil if it is not of three numbers.
    package let version: ServerVersion?
    /// Whether each message is on the disk before it is acknowledged (`sync_interval: always`).
    package let syncsAlways: Bool
    /// The time between flushes otherwise, in seconds.
    package let syncSeconds: Double
    /// The largest message that it takes, in bytes.
    package let payloadBytesMax: Int
    /// The stream of the journal as this server shows it; nil if this server has no copy.
    package let stream: StreamState?
    /// The server's own sentence about a stream or a part of it that does not work; nil if all work. A server whose files
    /// are damaged may show a copy of the stream as before, although it takes no part in it any more.
    package let ailment: String?

    /// Reads the answers of `/varz`, `/jsz?accounts=true&streams=true&config=true` and `/healthz`.
    /// - Parameter stream: the stream's name.
    /// - Throws: ``JournalFailure/malformed(_:)`` if they are not JSON.
    package init(varz: [UInt8], jsz: [UInt8], healthz: [UInt8], stream: String) throws(JournalFailure) {
        guard let server = Self.value(varz), let streams = Self.value(jsz) else {
            throw .malformed("the monitoring port does not answer in JSON")
        }
        name = server["server_name"]?.stringValue ?? ""
        version = server["version"]?.stringValue.flatMap(ServerVersion.init)
        payloadBytesMax = server["max_payload"]?.integerValue.flatMap(Int.init(exactly:)) ?? 0
        let configuration = server["jetstream"]?["config"] ?? streams["config"] ?? .null
        syncsAlways = configuration["sync_always"]?.boolValue ?? false
        syncSeconds = Double(configuration["sync_interval"]?.integerValue ?? 0) / 1e9
        let found = (streams["account_details"]?.arrayValue ?? []).lazy
            .flatMap { $0["stream_detail"]?.arrayValue ?? [] }.first { $0["name"]?.stringValue == stream }
        self.stream = found.flatMap { try? StreamState($0) }
        let health = Self.value(healthz)
        let isWell = health?["status"]?.stringValue == "ok"
        ailment = isWell ? nil : health?["error"]?.stringValue ?? health?["status"]?.stringValue ?? "it does not say"
    }

    /// The server writes "no limit" as -1 without a sign, which no whole number of our JSON can hold.
    private static func value(_ bytes: [UInt8]) -> JSONValue? {
        let text = String(decoding: bytes, as: UTF8.self).replacing("18446744073709551615", with: "-1")
        return try? JSONValue(parsing: Array(text.utf8), depthMax: 32)
    }

    /// The settings that are not as the journal needs them.
    package var differences: [StreamDifference] {
        var found: [StreamDifference] = []
        if let version, version < .oldest {
            let wanted = "at least \(ServerVersion.oldest)"
            found.append(StreamDifference(name: "version", wanted: wanted, found: "\(version)"))
        }
        if !syncsAlways {
            found.append(StreamDifference(name: "sync_interval", wanted: "always", found: "\(syncSeconds) s"))
        }
        if payloadBytesMax < JournalLimits.payloadBytes {
            let wanted = "at least \(JournalLimits.payloadBytes)"
            found.append(StreamDifference(name: "max_payload", wanted: wanted, found: "\(payloadBytesMax)"))
        }
        return found
    }
}

/// Asks the monitoring ports of NATS servers.
/// - Confinement: loop
package enum JournalMonitor {
    /// Asks one server.
    /// - Parameters:
    ///   - url: `http://HOST:PORT` without a path.
    ///   - client: Its policy must allow the address.
    ///   - done: Called once, on the loop of the client.
    package static func ask(
        _ url: String, about options: JournalOptions, with client: OutboundClient,
        _ done: @escaping (Result<JournalServerReport, JournalFailure>) -> Void
    ) {
        get(url + "/varz", with: client) { varz in
            switch varz {
            case .failure(let failure): done(.failure(failure))
            case .success(let varz):
                get(url + "/jsz?accounts=true&streams=true&config=true", with: client) { jsz in
                    // Its status is 503 when something does not work, and its body says what.
                    get(url + "/healthz", with: client, takes: [200, 500, 503]) { healthz in
                        done(jsz.flatMap { jsz in healthz.flatMap { report(varz, jsz, $0, options) } })
                    }
                }
            }
        }
    }

    private static func report(
        _ varz: [UInt8], _ jsz: [UInt8], _ healthz: [UInt8], _ options: JournalOptions
    ) -> Result<JournalServerReport, JournalFailure> {
        Result { () throws(JournalFailure) in
            try JournalServerReport(varz: varz, jsz: jsz, healthz: healthz, stream: options.stream)
        }
    }

    private static func get(
        _ url: String, with client: OutboundClient, takes statuses: Set<Int> = [200],
        _ done: @escaping (Result<[UInt8], JournalFailure>) -> Void
    ) {
        let request = OutboundRequest(
            url: url, connectMilliseconds: 1000, totalMilliseconds: 3000, answerBytesMax: 4 << 20
        )
        client.send(request) { result in
            switch result {
            case .success(let answer) where statuses.contains(answer.status): done(.success(answer.body))
            case .success(let answer): done(.failure(.malformed("\(url) answers with status \(answer.status)")))
            case .failure(let failure): done(.failure(.malformed("\(url): \(failure)")))
            }
        }
    }
}
