/// Values for any number of readers, each with all that comes after it began.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Broadcast<Value: Sendable> {
    private var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    private var next = 0

    /// The values from now on.
    /// - Parameter first: Comes at once.
    func stream(first: Value? = nil) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let number = next
        next += 1
        readers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @WatchWiseActor in self?.readers[number] = nil }
        }
        if let first { continuation.yield(first) }
        return stream
    }

    func send(_ value: Value) { for reader in readers.values { reader.yield(value) } }
    func finish() { for reader in readers.values { reader.finish() } }
}
