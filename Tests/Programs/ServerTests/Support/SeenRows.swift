import Foundation
import JSON
import Synchronization
import Testing

/// Notes how far the tests of this folder see the contract: which test got which answer to which command or route, and which event.
/// `Tests/ContractTests/rows` makes a table of it. Without the variable `WATCHWISE_ROWS`, which names a file, nothing is noted.
/// - Confinement: any
enum SeenRows {
    private static let file: FileHandle? = {
        guard let path = ProcessInfo.processInfo.environment["WATCHWISE_ROWS"] else { return nil }
        guard FileManager.default.createFile(atPath: path, contents: nil) else { return nil }
        return FileHandle(forWritingAtPath: path)
    }()
    private static let known = Mutex<Set<String>>([])

    /// - Parameter error: the code and the field of a refusal; nil for any other answer, and for an event.
    static func note(_ row: String, _ error: JSONValue?) {
        guard let file, let test = Test.current else { return }
        let code = error?["code"]?.stringValue ?? "ok"
        let line = "\(row)\t\(code)\t\(error?["field"]?.stringValue ?? "")\t\(test.id)\n"
        known.withLock { known in
            if known.insert(line).inserted { try? file.write(contentsOf: Data(line.utf8)) }
        }
    }
}
