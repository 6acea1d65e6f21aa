import Authentication
import Client
import Foundation

/// A server that the suite has started in a folder of its own and measures repeatedly.
///
/// - Confinement: one thread at a time
final class StandingServer {
    let system: MeasuredSystem
    let room: String
    private let process: ServedProcess
    private(set) var course: Course

    /// - Parameter course: The settings that all servers share; the others are filled in.
    /// - Throws: when it does not start; then nothing is left.
    init(_ system: MeasuredSystem, in room: String, like course: Course) throws {
        self.system = system
        self.room = room
        let plan: ServedProcess.Plan
        do {
            plan = try system.plan(room)
        } catch {
            try? FileManager.default.removeItem(atPath: room)
            throw error
        }
        process = ServedProcess(plan, port: system.choosesPort ? 0 : try FreePort.find())
        self.course = course
        self.course.system = system.name
        self.course.dialect = system.dialect
        do {
            try start()
        } catch {
            end()
            throw error
        }
    }

    /// Starts it again after `stop`, on the same folder.
    func start() throws {
        course.server = try process.start()
        course.meter = ProcessMeter(pid: process.pid)
        guard system.dialect == .watchwise, course.mint == nil else { return }
        guard let secret = try ServerSecret.load(fromFolder: room + "/data") else {
            throw LoadFailure("no secret in \(room)/data")
        }
        course.mint = TokenMint(secret: secret)
    }

    func stop(_ signal: Int32) { _ = process.end(signal) }

    /// - Throws: when it has ended by itself.
    func check() throws { try process.checkThatItRuns() }

    /// Ends the server and removes its folder.
    func end() {
        _ = process.end(SIGKILL)
        try? FileManager.default.removeItem(atPath: room)
    }

    /// The process, for a storm that kills it.
    var served: ServedProcess { process }
}

@available(*, unavailable)
extension StandingServer: Sendable {}
