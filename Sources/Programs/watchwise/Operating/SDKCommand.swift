import ArgumentParser
import Configuration
import Console
import Foundation
import JSON
import WebLibrary

/// `watchwise sdk`
struct SDKCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sdk",
        abstract: "Write the JavaScript library of this program to a folder.",
        discussion: """
            It is one ES module without dependencies, with its types, a package.json, and beside it a service worker for \
            pushes and the store of Node. A server serves the same files under /v1/sdk/. Files of an earlier version are replaced.

            EXAMPLES
              watchwise sdk web/watchwise
              npm install ./web/watchwise
            """)

    @Argument(help: .value("dir", "The folder; it is made when it is not there."))
    var folder: String

    func run() throws {
        let place = URL(fileURLWithPath: folder, isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for file in ClientLibrary.files { try write(file.bytes, to: place.appending(path: file.name)) }
            try write(Array((Self.package.pretty + "\n").utf8), to: place.appending(path: "package.json"))
        } catch {
            throw CommandFailure(.failed, "\(folder) cannot be written: \(error.localizedDescription)")
        }
    }

    private func write(_ bytes: [UInt8], to file: URL) throws {
        try Data(bytes).write(to: file, options: .atomic)
        // Not a secret, unlike other files of this program: web servers and other users read it.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        Terminal.line("\(file.relativePath)  \(Int64(bytes.count).grouped) bytes")
    }

    private static let package: JSONValue = [
        "name": "watchwise",
        "version": .string(ProgramVersion.current),
        "license": "Apache-2.0", "type": "module", "main": "watchwise.js",
        "types": "watchwise.d.ts",
        "exports": [
            ".": ["types": "./watchwise.d.ts", "default": "./watchwise.js"],
            "./watchwise-worker.js": "./watchwise-worker.js",
            "./watchwise-sqlite.js": "./watchwise-sqlite.js",
        ], "engines": ["node": ">=22"],
    ]
}
