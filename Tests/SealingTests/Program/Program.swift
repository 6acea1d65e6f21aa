import Glibc
import JSON

/// Lets another program use our cryptography of push, to compare it with its own; or measures it.
///
/// Each line of the standard input is a JSON object whose `do` names a request; the answer is one line, too.
enum Program {
    private static let usage = """
        usage: watchwise-seal            answers requests, one JSON object a line
               watchwise-seal measure N  the cost of each operation, done N times
        """

    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit code: 1 when something failed that cannot fail, 2 for bad usage.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            if arguments.isEmpty {
                try answerAll()
                return 0
            }
            if arguments.count == 2, arguments[0] == "measure", let count = Int(arguments[1]), count > 0 {
                try Measurement(count: count).run()
                return 0
            }
        } catch {
            print("failed: \(error)")
            return 1
        }
        print(usage)
        return 2
    }

    private static func answerAll() throws {
        let requests = try Requests()
        while let line = readLine() {
            print(try requests.answer(JSONValue(parsing: Array(line.utf8))).text)
            fflush(nil)
        }
    }
}

/// A request or a result that cannot be.
struct Mistake: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
