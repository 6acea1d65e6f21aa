import Configuration
import Foundation

/// Files named on the command line.
enum Files {
    static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    static func read(_ path: String) throws -> [UInt8] {
        if let hint = FolderOwner.hint(ofNoFile: path) { throw CommandFailure(.misused, hint) }
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            // The content of a closed folder is not visible either.
            if (error as? CocoaError)?.code == .fileReadNoPermission {
                throw CommandFailure(.misused, "the file \(path) cannot be read\(FolderOwner.hint(ofFile: path))")
            }
            let reason = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "is not there"
            throw CommandFailure(.misused, "the file \(path) \(reason)")
        }
    }
}
