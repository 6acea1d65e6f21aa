import EventLoop
import JSON

extension JournalClient {
    /// Appends an entry if it becomes the successor of `last`.
    /// - Parameters:
    ///   - last: The sequence of the entry before it; 0 for the first entry of the journal.
    ///   - timeoutMilliseconds: After this time, looked at every 50 ms, the outcome is `unknown`.
    ///   - done: Called once, on the loop, never during this call.
    package func append(
        _ bytes: [UInt8], after last: UInt64, timeoutMilliseconds: Int, _ done: @escaping (AppendOutcome) -> Void
    ) {
        loop.preconditionOnLoop()
        let bytesMax = server?.payloadBytesMax ?? 0
        let deadline = loop.now + Int64(timeoutMilliseconds)
        requests.send(bytes, to: options.journalSubject, after: last, deadline: deadline) { [unowned self] result in
            let outcome: AppendOutcome
            switch result {
            case .success(let message): outcome = AppendOutcome(answer: message.bytes, bytesMax: bytesMax)
            case .failure(let failure): outcome = AppendOutcome(failure)
            }
            if case .unknown = outcome { counts.unknownOutcomes += 1 }
            done(outcome)
        }
    }

    /// Asks the leader of the stream for its state, `last` among it.
    /// - Parameter done: Called once, on the loop, never during this call. `refused` with code 10059: there is no stream.
    package func askState(_ done: @escaping (Result<StreamState, JournalFailure>) -> Void) {
        ask("STREAM.INFO.\(options.stream)", []) { result in
            done(result.flatMap { value in Result { () throws(JournalFailure) in try StreamState(value) } })
        }
    }

    /// Asks the leader of the stream whether it has an entry: one that its disk damaged is missing between others.
    /// - Parameter done: Called once, on the loop, never during this call.
    package func askEntry(_ sequence: UInt64, _ done: @escaping (Result<Bool, JournalFailure>) -> Void) {
        let order: JSONObject = ["seq": .integer(Int64(clamping: sequence))]
        ask("STREAM.MSG.GET.\(options.stream)", JSONValue.object(order).bytes) { result in
            switch result {
            case .success: done(.success(true))
            case .failure(.refused(code: 10037, _)): done(.success(false))
            case .failure(let failure): done(.failure(failure))
            }
        }
    }

    /// Checks the stream, and makes it if it is missing and wanted.
    /// - Parameter makes: Whether to make it.
    /// - Parameter done: Called once, on the loop, never during this call.
    package func checkStream(
        _ settings: StreamSettings, makes: Bool, _ done: @escaping (Result<StreamReport, JournalFailure>) -> Void
    ) {
        askState { [unowned self] result in
            switch result {
            case .failure(.refused(code: 10059, _)) where makes: make(settings, done)
            case .failure(let failure): done(.failure(failure))
            case .success(let state): done(.success(report(state, wasMade: false, settings)))
            }
        }
    }

    /// Deletes the stream with all of its entries.
    /// - Parameter done: Called once, on the loop, never during this call.
    package func deleteStream(_ done: @escaping (Result<Void, JournalFailure>) -> Void) {
        ask("STREAM.DELETE.\(options.stream)", []) { done($0.map { _ in }) }
    }

    private func make(
        _ settings: StreamSettings, _ done: @escaping (Result<StreamReport, JournalFailure>) -> Void
    ) {
        var writer = JSONWriter()
        writer.object(JSONObject(settings.creation(options)))
        ask("STREAM.CREATE.\(options.stream)", writer.bytes) { [unowned self] result in
            done(
                result.flatMap { value in Result { () throws(JournalFailure) in try StreamState(value) } }
                    .map { report($0, wasMade: true, settings) }
            )
        }
    }

    private func report(_ state: StreamState, wasMade: Bool, _ settings: StreamSettings) -> StreamReport {
        var differences = settings.differences(from: state.configuration, options)
        if let version = state.version, version < .oldest {
            let wanted = "at least \(ServerVersion.oldest)"
            differences.append(StreamDifference(name: "version", wanted: wanted, found: "\(version)"))
        }
        return StreamReport(state: state, wasMade: wasMade, differences: differences)
    }

    /// Reads the journal in order from an entry on, over all connections, until it ends or is stopped.
    /// - Parameters:
    ///   - sequence: The first entry wanted, at least 1; it may be the one that comes next.
    ///   - handle: Called on the loop with entries, each sequence one larger than the one before. Not more than
    ///     ``JournalReader/consumed(through:)`` allows are on their way.
    ///   - ended: Called once if the read cannot go on.
    package func follow(
        from sequence: UInt64, _ handle: @escaping ([JournalMessage]) -> Void,
        ended: @escaping (JournalReadEnd) -> Void
    ) -> JournalReader {
        loop.preconditionOnLoop()
        let reader = JournalReader(of: self, from: max(1, sequence), handle, ended: ended)
        reads.append(reader)
        if connection != nil { reader.connected() }
        return reader
    }

    /// Asks JetStream: `$JS.API.` and the rest of the subject. Its API over plain messages, and not that of libnats,
    /// which would block and does not show all settings.
    func ask(
        _ rest: String, _ bytes: [UInt8], _ done: @escaping (Result<JSONValue, JournalFailure>) -> Void
    ) {
        loop.preconditionOnLoop()
        let deadline = loop.now + Int64(JournalLimits.questionMilliseconds)
        requests.send(bytes, to: "$JS.API.\(rest)", deadline: deadline) { result in
            done(result.flatMap { message in Result { () throws(JournalFailure) in try Self.value(message) } })
        }
    }

    private static func value(_ message: NATSMessage) throws(JournalFailure) -> JSONValue {
        guard let value = try? JSONValue(parsing: message.bytes, depthMax: 32) else {
            throw .malformed("the answer of JetStream is not JSON")
        }
        guard let error = value["error"] else { return value }
        let code = Int(error["err_code"]?.integerValue ?? 0)
        throw .refused(code: code, reason: error["description"]?.stringValue ?? "no reason given")
    }
}
