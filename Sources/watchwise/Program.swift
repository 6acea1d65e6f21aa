import ArgumentParser
import Foundation

/// Why a command did not do what it was asked for.
struct CommandFailure: Error, CustomStringConvertible {
    /// Of the process.
    enum Status: Int32 {
        /// It was tried and did not work, or the server refused.
        case failed = 1
        /// It was asked for wrongly, or the configuration is wrong.
        case misused = 2
    }

    let status: Status
    /// What is wrong and what to do, for people.
    let description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }
}

/// One run of the program.
enum Program {
    /// Does what the arguments ask for and ends the process.
    static func run(_ arguments: [String]) -> Never {
        // Files that a command writes (a backup, a secret, a demo's folder) are readable only by the user who runs it.
        umask(0o077)
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
            // The contract's status for bad usage is 2; the parser's is that of sysexits.h.
            exit(code == .validationFailure ? CommandFailure.Status.misused.rawValue : code.rawValue)
        }
    }
}
