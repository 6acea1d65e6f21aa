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
            succeed()
        }
        do {
            var command = try Watchwise.parseAsRoot(arguments)
            try command.run()
            // Servers print their addresses, and serve whether somebody reads them or not.
            if command is Serve || command is Demo { exit(EXIT_SUCCESS) }
            succeed()
        } catch let failure as CommandFailure {
            Terminal.error(failure.description)
            exit(failure.status.rawValue)
        } catch {
            let code = Watchwise.exitCode(for: error)
            let text = message(of: error, code, arguments)
            guard !code.isSuccess else {
                Terminal.line(text)
                succeed()
            }
            if !text.isEmpty { Terminal.plainError(text) }
            // Our status for bad usage is 2; the parser uses that of sysexits.h.
            exit(code == .validationFailure ? CommandFailure.Status.misused.rawValue : code.rawValue)
        }
    }

    /// The text for people; a word that is not a command is answered with the command that it is like.
    private static func message(of error: any Error, _ code: ExitCode, _ arguments: [String]) -> String {
        let text = Watchwise.fullMessage(for: error)
        guard code == .validationFailure, text.contains("nexpected argument"),
            let sentence = MeantCommand.sentence(for: arguments, of: Watchwise.self)
        else { return text }
        return (["Error: " + sentence] + text.split(separator: "\n").dropFirst().map(String.init))
            .joined(separator: "\n")
    }

    /// Ends the process after a command that did what it was asked to, if its result could be written.
    ///
    /// A reader that goes away, as `head` does, has what it wants.
    private static func succeed() -> Never {
        guard let lost = Terminal.lost, lost != .noReader else { exit(EXIT_SUCCESS) }
        Terminal.error(lost.description)
        exit(CommandFailure.Status.failed.rawValue)
    }
}
