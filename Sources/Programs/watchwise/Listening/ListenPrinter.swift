import ClientProtocol
import Console
import Foundation
import JSON
import Session

/// Prints what a session tells: events and answers on standard output, the state of the connection on standard error.
struct ListenPrinter {
    /// Whether events and answers are printed as the server sent them, one in a line.
    let asJSON: Bool
    private let time: DateFormatter

    init(asJSON: Bool) {
        self.asJSON = asJSON
        time = DateFormatter()
        time.dateFormat = "HH:mm:ss"
    }

    /// - Returns: false when it could not be written.
    func event(_ event: ClientEvent) -> Bool {
        Terminal.nextLine(asJSON ? event.body.text : "\(now)  \(EventLine.of(event))")
    }

    /// - Parameter name: of the command.
    /// - Returns: false when it could not be written.
    func reply(_ reply: ClientReply, to id: Int64, _ name: String) -> Bool {
        if asJSON { return Terminal.nextLine(message(reply, to: id).text) }
        switch reply {
        case .ok(let body): return Terminal.nextLine("\(now)  \(Terminal.bold("ok")) \(name)  \(body.text.printable)")
        case .refused(let refusal):
            return Terminal.nextLine(
                "\(now)  \(Terminal.bold("refused")) \(name)  \(AdminClient.sentence(refusal).printable)")
        case .lost:
            return Terminal.nextLine("\(now)  \(Terminal.bold("lost")) \(name)  the connection broke before the answer")
        }
    }

    /// A line beside the log: the state of the connection, help, mistakes in typing.
    func note(_ text: String) { Terminal.note(text) }

    private func message(_ reply: ClientReply, to id: Int64) -> JSONValue {
        switch reply {
        case .ok(let body): return ["re": .integer(id), "ok": body]
        case .refused(let refusal): return ["re": .integer(id), "error": refusal.json]
        case .lost: return ["re": .integer(id), "lost": true]
        }
    }

    private var now: String { time.string(from: Date()) }
}
