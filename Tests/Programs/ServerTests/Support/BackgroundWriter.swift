import Foundation
import JSON
import Synchronization

/// A thread that sends messages to a chat as fast as they are answered, a few at a time, until `stop`.
/// - Confinement: any
final class BackgroundWriter: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    private let result = Mutex<Result<Int64, any Error>>(.success(0))

    /// Begins, and waits until the first messages are acknowledged: what follows is done meanwhile.
    init(to chat: String, as user: String, on server: TestServer) {
        let thread = Thread { [self] in
            let found = Result { try write(to: chat, as: user, on: server) }
            result.withLock { $0 = found }
            begun.signal()
            ended.signal()
        }
        thread.stackSize = 4 << 20
        thread.start()
        begun.wait()
    }

    /// Stops it.
    /// - Returns: the number of the last message that was acknowledged.
    func stop() throws -> Int64 {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        return try result.withLock { try $0.get() }
    }

    private func write(to chat: String, as user: String, on server: TestServer) throws -> Int64 {
        let device = try server.connect()
        try device.hello(token: server.token(user))
        var last: Int64 = 0
        var round = 0
        while !isOver.load(ordering: .relaxed) {
            round += 1
            let ids = try (0..<5).map { number in
                try device.post([
                    "type": "send", "chat": .string(chat), "text": "x", "key": .string("w\(round).\(number)"),
                ])
            }
            for id in ids { last = try device.reply(to: id)["ok"]?["n"]?.integerValue ?? last }
            if round == 1 { begun.signal() }
        }
        return last
    }
}
