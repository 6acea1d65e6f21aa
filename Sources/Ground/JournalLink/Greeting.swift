import EventLoop

/// Reads the first line of a NATS server, which comes before TLS and before the login, and ends the connection.
///
/// libnats reads the same line on its own connection, and does not show the version.
/// - Confinement: loop
final class Greeting: TCPConnectionDelegate {
    private var connection: TCPConnection?
    private var timer: LoopTimer?
    private var line: [UInt8] = []
    private var result: Result<[UInt8], JournalFailure>?
    private var done: ((Result<[UInt8], JournalFailure>) -> Void)?

    /// Connects and reads.
    /// - Parameter done: Called once, on the loop, possibly during this call.
    init(
        on loop: Loop, from address: SocketAddress, milliseconds: Int,
        _ done: @escaping (Result<[UInt8], JournalFailure>) -> Void
    ) {
        self.done = done
        timer = LoopTimer(on: loop) { [unowned self] in
            end(.failure(.malformed("it did not greet within \(milliseconds) ms")))
        }
        timer?.start(afterMilliseconds: Int64(milliseconds))
        do {
            connection = try TCPConnection.connect(on: loop, to: address, delegate: self)
        } catch {
            finish(.failure(.malformed("\(error)")))
        }
    }

    func received(_ bytes: RawSpan, on connection: TCPConnection) {
        guard result == nil else { return }
        unsafe bytes.withUnsafeBytes { unsafe line.append(contentsOf: $0) }
        if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
            self.end(.success(Array(line[..<end])))
        } else if line.count > JournalLimits.greetingBytes {
            end(.failure(.malformed("its first line is too long")))
        }
    }

    func drained(on connection: TCPConnection) {}

    func closed(on connection: TCPConnection, error: UVError?) {
        finish(result ?? .failure(.malformed(error.map { "\($0)" } ?? "it closed the connection")))
    }

    /// Ends the connection; its last call brings the result.
    private func end(_ result: Result<[UInt8], JournalFailure>) {
        guard self.result == nil else { return }
        self.result = result
        connection?.close()
    }

    private func finish(_ result: Result<[UInt8], JournalFailure>) {
        timer?.close()
        timer = nil
        connection = nil
        let done = self.done
        self.done = nil
        done?(result)
    }
}

@available(*, unavailable)
extension Greeting: Sendable {}
