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

    func event(_ event: ClientEvent) {
        Terminal.line(asJSON ? event.body.text : "\(now)  \(EventLine.of(event))")
    }

    /// - Parameter name: of the command.
    func reply(_ reply: ClientReply, to id: Int64, _ name: String) {
        if asJSON { return Terminal.line(message(reply, to: id).text) }
        switch reply {
        case .ok(let body): Terminal.line("\(now)  \(bold("ok")) \(name)  \(body.text.printable)")
        case .refused(let refusal):
            Terminal.line("\(now)  \(bold("refused")) \(name)  \(AdminClient.sentence(refusal).printable)")
        case .lost: Terminal.line("\(now)  \(bold("lost")) \(name)  the connection broke before the answer")
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
    private func bold(_ text: String) -> String { Terminal.hasColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text }
}
