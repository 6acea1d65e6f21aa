import JSON
import Session

/// The fate of one write, for all that wait for it.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class WriteRecord {
    var key: String
    /// A write that was kept in memory only does not survive the process.
    var isDurable = true
    private(set) var result: Result<JSONValue, WatchWiseError>?
    private var waiting: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
    private var next = 0

    init(_ key: String) { self.key = key }

    /// Waits for the server's answer.
    /// - Throws: ``WatchWiseError``; `CancellationError` when the task ends: the write goes on.
    func wait() async throws -> JSONValue {
        if let result { return try result.get() }
        try Task.checkCancellation()
        next += 1
        let number = next
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting[number] = $0 }
        } onCancel: {
            Task { @WatchWiseActor in
                self.waiting.removeValue(forKey: number)?.resume(throwing: CancellationError())
            }
        }
    }

    func settle(_ result: Result<JSONValue, WatchWiseError>) {
        if case .success = self.result { return }
        self.result = result
        for continuation in waiting.values { continuation.resume(with: result.mapError { $0 }) }
        waiting = [:]
    }
}

/// The writes of this process that somebody may wait for, by the keys that they have now.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class WriteRecords {
    private var byKey: [String: [WriteRecord]] = [:]

    func add(_ record: WriteRecord) { byKey[record.key, default: []].append(record) }

    func kept(_ key: String, isDurable: Bool) { for record in byKey[key] ?? [] { record.isDurable = isDurable } }

    /// A write became part of another one, or has another key.
    func move(_ key: String, to other: String) {
        for record in byKey.removeValue(forKey: key) ?? [] {
            record.key = other
            add(record)
        }
    }

    func settle(_ key: String, _ result: Result<JSONValue, WatchWiseError>) {
        for record in byKey[key] ?? [] { record.settle(result) }
        // One that failed can be tried again; cancelled ones cannot.
        if case .failure(let error) = result, error.kind != .cancelled { return }
        byKey[key] = nil
    }

    /// Where another process connects, the store shows what became of a write, but not the answer.
    func settle(by stored: [WriteEntry]) {
        for key in byKey.filter({ $0.value.contains { $0.result == nil } }).keys {
            guard let entry = stored.first(where: { $0.key == key }) else {
                settle(key, .success([:]))
                continue
            }
            if entry.state == .failed, let error = entry.error { settle(key, .failure(WatchWiseError(error))) }
        }
    }

    /// A write that was not taken.
    func forget(_ key: String) { byKey[key] = nil }

    /// The next process learns whether they are done.
    func closeAll(_ error: WatchWiseError = .closed) {
        for record in byKey.values.joined() { record.settle(.failure(error)) }
        byKey = [:]
    }
}
