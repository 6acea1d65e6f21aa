package import Foundation

/// The built program, run as an operator runs it.
/// - Confinement: one thread at a time
package final class ServerProcess {
    /// The program beside the test bundle; nil when it is not built.
    package static let binary: String? = {
        let besides = [CommandLine.arguments[0], Bundle.main.executablePath ?? ""].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("watchwise").path
        }
        return besides.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The output and the status of a program that has ended.
    package struct Ended {
        package let status: Int32
        package let output: String
        package let errors: String
    }

    package let port: UInt16
    /// The first lines on standard output.
    package let lines: [String]
    private let process: Process
    private let output: Pipe

    /// Starts `serve` and waits for a line for each listener.
    /// - Parameters:
    ///   - umask: of the process, in octal digits; nil for that of the tests.
    ///   - user: the number of the user to run as, which requires root; nil for that of the tests.
    package convenience init(
        data: String, arguments: [String] = ["--listen", "127.0.0.1:0"], listeners: Int = 1, umask: String? = nil,
        as user: Int? = nil
    ) throws {
        try self.init(["serve", "--data", data] + arguments, lines: listeners, umask: umask, as: user)
    }

    /// Starts the program and waits for its first lines.
    ///
    /// - Parameters:
    ///   - user: The number of the user to run as, which requires root.
    ///   - errors: Gets its standard error.
    ///   - redirection: Changes that in the words of a shell, such as `2>/dev/full`.
    package init(
        _ arguments: [String], lines listeners: Int, umask: String? = nil, as user: Int? = nil,
        errors: FileHandle = .nullDevice, redirection: String? = nil
    ) throws {
        process = Process()
        Self.prepare(process, arguments, umask: umask, redirection: redirection)
        if let user { Self.change(process, to: user, arguments) }
        output = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.runStoppable()
        var text = ""
        while text.split(separator: "\n", omittingEmptySubsequences: false).count <= listeners {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw TCPSocket.Failure(description: "it ended, having said: \(text)") }
            text += String(decoding: more, as: UTF8.self)
        }
        lines = text.split(separator: "\n").map(String.init)
        port = UInt16(lines.first?.split(separator: ":").last ?? "") ?? 0
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Bytes of the program in the machine's memory.
    package func residentBytes() throws -> Int {
        try ResidentMemory.bytes(of: process.processIdentifier)
    }

    /// Sends a signal.
    package func signal(_ number: Int32) { _ = kill(process.processIdentifier, number) }

    /// Waits until it has ended.
    /// - Returns: its exit status; negative for a signal.
    package func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Its output after the first lines; waits until it has ended.
    package func rest() throws -> String {
        String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Sets the program and its arguments; if a umask or a redirection is given, a shell sets it first.
    private static func prepare(
        _ process: Process, _ arguments: [String], umask: String?, redirection: String? = nil
    ) {
        let program = binary ?? "/nonexistent"
        guard umask != nil || redirection != nil else {
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            return
        }
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let mask = umask.map { "umask \($0); " } ?? ""
        process.arguments = ["-c", "\(mask)exec \"$0\" \"$@\" \(redirection ?? "")", program] + arguments
    }

    private static let setpriv = "/usr/bin/setpriv"
    /// The number of the user `nobody`.
    package static let nobody = 65534

    /// Runs the program as another user, without any group but that of the same number.
    private static func change(_ process: Process, to user: Int, _ arguments: [String]) {
        process.executableURL = URL(fileURLWithPath: setpriv)
        process.arguments =
            ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", binary ?? "/nonexistent"] + arguments
    }

    /// Whether the program can run as another user, who must be able to reach the program's file.
    package static var canBeAnother: Bool {
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: setpriv) else { return false }
        return (try? run(["--version"], as: nobody).status) == 0
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - folder: The working folder; that of the tests when nil.
    ///   - input: Standard input, which then ends; that of the tests when nil.
    ///   - user: The number of the user to run as, which requires root; nil for that of the tests.
    ///   - redirection: Changes standard output and error in the words of a shell, such as `>/dev/full`.
    package static func run(
        _ arguments: [String], umask: String? = nil, in folder: String? = nil, input: String? = nil,
        as user: Int? = nil, redirection: String? = nil
    ) throws -> Ended {
        let process = Process()
        prepare(process, arguments, umask: umask, redirection: redirection)
        if let user { change(process, to: user, arguments) }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        let typed = input.map { _ in Pipe() }
        if let typed { process.standardInput = typed }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.runStoppable()
        if let typed, let input {
            try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try typed.fileHandleForWriting.close()
        }
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let complained = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Ended(
            status: process.terminationStatus,
            output: String(decoding: said, as: UTF8.self),
            errors: String(decoding: complained, as: UTF8.self)
        )
    }

    /// A token made by the program.
    package static func token(_ user: String, data: String) throws -> String {
        let ended = try run(["token", user, "--data", data])
        guard ended.status == 0 else { throw TCPSocket.Failure(description: ended.errors) }
        return ended.output.trimmingCharacters(in: .newlines)
    }
}
