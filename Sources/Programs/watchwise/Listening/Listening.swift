import Client
import ClientProtocol
import Console
import EventLoop
import Foundation
import JSON
import Model
import Session

/// One run of `watchwise listen`: a session, the keyboard, and when to end.
///
/// - Confinement: loop
final class Listening {
    private let loop: Loop
    private let user: UserID?
    private let place: CursorFile?
    private let countMax: Int?
    private let endsWhenAnswered: Bool
    private let printer: ListenPrinter
    private let session: ClientSession
    private let server: ServerAddress
    private var keyboard: Keyboard?
    private var signals: [SignalSource] = []
    private var count = 0
    private var hasInputEnded = false
    /// Why the command fails; nil while it does not.
    private(set) var failure: CommandFailure?

    /// - Parameters:
    ///   - user: Whose token it must be; nil for the user whom the token names.
    ///   - place: Where the cursor is kept.
    ///   - limits: The number of events after which to end, and whether to end when all commands of the input are answered.
    init(
        on loop: Loop, to server: ServerAddress, _ configuration: ClientSessionConfiguration, as user: UserID?,
        _ place: CursorFile?, limits: (count: Int?, isUntilAnswered: Bool), printer: ListenPrinter,
        token: @escaping () -> String?
    ) {
        self.loop = loop
        self.server = server
        self.user = user
        self.place = place
        countMax = limits.count
        endsWhenAnswered = limits.isUntilAnswered
        self.printer = printer
        session = ClientSession(on: loop, server: server, configuration: configuration, token: token)
        session.delegate = self
    }

    func start() throws {
        for signal in [SIGINT, SIGTERM] {
            signals.append(try SignalSource(on: loop, signal: signal) { [unowned self] in stop() })
        }
        session.start()
        keyboard = try Keyboard(on: loop) { [unowned self] input in
            switch input {
            case .line(let line): take(line.trimmingCharacters(in: .whitespaces))
            case .end:
                hasInputEnded = true
                endIfAnswered()
            }
        }
    }

    /// Gives the terminal back.
    func close() {
        keyboard?.close()
        keyboard = nil
    }

    // MARK: What is typed

    private func take(_ line: String) {
        switch line.split(separator: " ").map(String.init) {
        case []: return
        case ["quit"], ["exit"]: stop()
        case ["help"]:
            printer.note(
                "Commands and their fields; those in brackets may be absent. 'help NAME' says more, 'quit' ends.")
            for line in TypedCommand.summary { printer.note("  " + line) }
        case let words where words[0] == "help" && words.count == 2:
            attempt { try TypedCommand(named: words[1]).help.forEach(printer.note) }
        default: attempt { send(try TypedCommand.read(line, key: AdminClient.newKey)) }
        }
    }

    private func attempt(_ act: () throws -> Void) {
        do {
            try act()
        } catch {
            printer.note((error as? TypedCommand.Mistake)?.sentence ?? "\(error)")
            if endsWhenAnswered { failure = CommandFailure(.misused, "a line of the input is not a command") }
        }
    }

    private func send(_ command: ClientCommand) {
        var id: Int64 = 0
        id = session.submit(command) { [unowned self] reply in
            guard printer.reply(reply, to: id, command.name) else { return stop() }
            if endsWhenAnswered, case .ok = reply {
            } else if endsWhenAnswered {
                failure = CommandFailure(.failed, "the server refused '\(command.name)'")
            }
            endIfAnswered()
        }
    }

    // MARK: The end

    private func endIfAnswered() {
        if endsWhenAnswered, hasInputEnded, session.pendingCount == 0 { stop() }
    }

    private func stop() {
        session.stop()
        keepPlace()
        loop.stop()
    }

    private func keepPlace() {
        // An event that could not be written comes again at the next start.
        guard Terminal.lost == nil, let place, let cursor = session.cursor else { return }
        do {
            try place.write(cursor)
        } catch {
            failure = error as? CommandFailure
            if !loop.isStopping { loop.stop() }
        }
    }
}

extension Listening: ClientSessionDelegate {
    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .online(let hello): welcome(hello)
        case .live(let head):
            printer.note("live at \(head.value). 'help' lists the commands; Ctrl-C ends it.")
            keepPlace()
        case .event(let event): take(event)
        case .reply: break
        case .reset(let reason):
            printer.note(
                "reset (\(reason.printable)): the events since the last connection cannot be sent one by one; "
                    + "'chats' and 'notifications' show what there is now")
        case .violation(let violation): Terminal.error("the server broke the protocol: \(violation)")
        case .offline(let end, let wait):
            printer.note("\(server): \(end.description.printable)" + (wait.map { "; again in \($0) ms" } ?? ""))
        case .ended(let end): ended(end)
        }
    }

    private func welcome(_ hello: ClientHello) {
        let name = hello.body["user"]?.stringValue ?? ""
        if let user, name != user.text {
            failure = CommandFailure(.misused, "the token is one of \(name.printable), not of \(user)")
            return stop()
        }
        let device = (hello.body["device"]?.stringValue ?? "").printable
        printer.note("\(name.printable) on \(device), \(server): \(EventLine.unread(hello.unread))")
    }

    private func take(_ event: ClientEvent) {
        guard printer.event(event) else { return stop() }
        guard event.position != nil else { return }
        keepPlace()
        count += 1
        if count == countMax { stop() }
    }

    private func ended(_ end: ClientSessionEnd) {
        switch end {
        case .stopped: break
        case .refused(let refusal): failure = CommandFailure(.failed, AdminClient.sentence(refusal).printable)
        // No session of the command names a user.
        case .otherUser(let other): failure = CommandFailure(.failed, "the token belongs to \(other)")
        case .noToken: failure = CommandFailure(.failed, "there is no token")
        case .transport(.closed(code: CloseCode.replaced.rawValue, _)):
            failure = CommandFailure(.failed, "another connection with the same --device has replaced this one")
        case .transport(let transport):
            failure = CommandFailure(.failed, "\(server): \(transport.description.printable)")
        }
        keepPlace()
        loop.stop()
    }
}

@available(*, unavailable)
extension Listening: Sendable {}
