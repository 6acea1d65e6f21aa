import ArgumentParser
import Console
import JSON

/// A command that gets one answer from a server and prints it: with `--json` as it came, else for people.
protocol ServerCommand: ParsableCommand {
    var server: ServerOptions { get }

    /// Asks the server.
    func answer() throws -> JSONValue
    /// Prints the answer for people.
    func show(_ answer: JSONValue) throws
}

extension ServerCommand {
    func run() throws {
        let answer = try answer()
        if server.json { return Terminal.line(answer.text) }
        try show(answer)
    }
}
