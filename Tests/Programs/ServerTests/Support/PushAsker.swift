import EventLoop
import Foundation
import Model
import Synchronization
import TestSupport
import ThreadMessages
@testable import Server

/// Asks the loops of a server which users look at a device, as the sender of pushes does. The server is its own.
/// - Confinement: one thread at a time
final class PushAsker {
    /// The answers that have come.
    /// - Confinement: any
    private final class Answers: Sendable {
        let taken = Mutex<[PushLooking]>([])
        let arrived = DispatchSemaphore(value: 0)

        func take(_ messages: [PushMessage]) {
            for case .looking(let answer) in messages {
                taken.withLock { $0.append(answer) }
                arrived.signal()
            }
        }
    }

    let server: TestServer
    private let thread: LoopThread
    private let answers = Answers()
    private var number: Int64 = 0

    init() throws {
        let mailbox = Mailbox<PushMessage>()
        thread = try LoopThread.start(named: "asker") { [answers] loop in
            try mailbox.open(
                taking: { batch in
                    answers.take(batch)
                    batch.removeAll(keepingCapacity: true)
                }, on: loop)
        }
        server = try TestServer(answeringPushesTo: mailbox) { _ in }
    }

    /// The answers of all loops, in the order of their numbers.
    ///
    /// - Parameter users: nil for the first numbers, among which are all users of a test.
    func ask(_ users: [StreamID]? = nil) throws -> [PushLooking] {
        number += 1
        let asked = users ?? (2...200).map { StreamID(stored: $0) }
        let loops = server.application.mail.loops
        for loop in loops { loop.post(.looking(PushQuestion(number: number, users: asked))) }
        for _ in loops where answers.arrived.wait(timeout: .now() + 10) == .timedOut {
            throw TCPSocket.Failure(description: "a loop did not answer who looks")
        }
        let taken = answers.taken.withLock { taken in
            defer { taken = [] }
            return taken
        }
        guard taken.allSatisfy({ $0.number == number }) else {
            throw TCPSocket.Failure(description: "an answer to another question")
        }
        return taken.sorted { $0.loop < $1.loop }
    }

    /// The sessions of the devices with this id, on all loops.
    func sessions(of device: String) throws -> [LookingSession] {
        try ask().flatMap(\.sessions).filter { $0.device == device }
    }

    /// The only session of a device.
    func session(of device: String) throws -> LookingSession {
        let sessions = try sessions(of: device)
        guard sessions.count == 1 else {
            throw TCPSocket.Failure(description: "\(sessions.count) sessions of \(device)")
        }
        return sessions[0]
    }

    func end() {
        server.application.stop()
        thread.stop()
        thread.join()
    }
}
