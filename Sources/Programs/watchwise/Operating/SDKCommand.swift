import ArgumentParser
import Configuration
import Console
import Foundation
import WebLibrary

/// `watchwise sdk`
struct SDKCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sdk",
        abstract: "Write the JavaScript library of this program to a folder.",
        discussion: """
            It is a package without dependencies: ES modules, of which a page begins with watchwise.js and loads the others where \
            they are needed, their types, and their sources in src. A server serves the same files under /v1/sdk/. Files of an \
            earlier version are replaced.

            EXAMPLES
              watchwise sdk web/watchwise
              npm install ./web/watchwise
            """)

    @Argument(help: .value("dir", "The folder; it is made when it is not there."))
    var folder: String

    @Option(help: .value("url", "The repository that package.json names, for a package that is published."))
    var repository: String?

    func run() throws {
        let place = URL(fileURLWithPath: folder, isDirectory: true)
        do {
            let sources = place.appending(path: "src")
            try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
            for file in ClientLibrary.files { try write(file.bytes, to: place.appending(path: file.name)) }
            let package = PackageDescription.value(version: ProgramVersion.current, repository: repository)
            try write(Array((package.pretty + "\n").utf8), to: place.appending(path: "package.json"))
        } catch {
            throw CommandFailure(.failed, "\(folder) cannot be written: \(error.localizedDescription)")
        }
    }

    private func write(_ bytes: [UInt8], to file: URL) throws {
        try Data(bytes).write(to: file, options: .atomic)
        // Not a secret, unlike other files of this program: web servers and other users read it.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        if !file.path.contains("/src/") { Terminal.line("\(file.relativePath)  \(Int64(bytes.count).grouped) bytes") }
    }
}
