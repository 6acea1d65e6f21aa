import ArgumentParser
import Console
import EventLoop
import Foundation

/// Why a command failed.
struct CommandFailure: Error, CustomStringConvertible {
    /// The exit status of the process.
    enum Status: Int32 {
        /// The command failed, or the server refused it.
        case failed = 1
        /// The arguments or the configuration are wrong.
        case misused = 2
        /// Nothing was done: the audience is nobody, or the question that comes first could not be asked.
        case nothingDone = 3
        /// Not everything could be done now; the same again may succeed.
        case incomplete = 75
    }

    let status: Status
    /// The problem and what to do, for people.
    let description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }
}

/// One run of the program.
enum Program {
    /// Runs the command and ends the process.
    static func run(_ arguments: [String]) -> Never {
        StandardStreams.fillGaps()
        // Files that a command writes (a backup, a secret, a demo's folder) are readable only by their owner.
        umask(0o077)
        if Version.isAskedAsJSON(arguments) {
            Terminal.line(Version.json.pretty)
            exit(EXIT_SUCCESS)
        }
        do {
            var command = try Watchwise.parseAsRoot(arguments)
            try command.run()
            exit(EXIT_SUCCESS)
        } catch let failure as CommandFailure {
            Terminal.error(failure.description)
            exit(failure.status.rawValue)
        } catch {
            let code = Watchwise.exitCode(for: error)
            let text = Watchwise.fullMessage(for: error)
            if !text.isEmpty { code.isSuccess ? Terminal.line(text) : Terminal.plainError(text) }
            // Our status for bad usage is 2; the parser uses that of sysexits.h.
            exit(code == .validationFailure ? CommandFailure.Status.misused.rawValue : code.rawValue)
        }
    }
}
