import Authentication
import ClientProtocol
import EventLoop
import Execution
import ThreadMessages
import Model
import Quotas
import Services
import Store
import Telemetry
import Wire

/// The row of a request in the audit, and what waits for it.
///
/// - Confinement: loop
struct RequestAudit {
    /// The work that waits for the row.
    enum Next {
        case respond(HTTPResponse)
        case refuse(Refusal, closes: Bool)
        case work(Route)
        /// The first news of an export.
        case stream(BackupNews)
    }

    /// Nil where the request leaves no row.
    var note: AuditNote?
    /// Whether the row is written, or is a part of the request's own write.
    var isWritten = false
    /// Nil when nothing waits.
    var next: Next?
}

extension HTTPConversation {
    /// Does what a request asks for; puts the row into the audit before what leaves the machine or is done in no
    /// transaction.
    func begin(_ task: RoutedTask) throws(Refusal) {
        audit.note = task.note
        guard let note = task.note else { return try perform(task.route) }
        switch task.route {
        case .backup, .pushTrial, .effect(isNotedLater: false, _):
            put(note, .done, then: .work(task.route))
        case .effect(isNotedLater: true, let run):
            let response = run()
            putLater(note)
            respond(response)
        case .write, .now, .refused, .read, .content, .export, .openRead, .command, .events, .feedTrial, .upgrade:
            try perform(task.route)
        }
    }

    /// Answers a request that was done.
    func complete(_ response: HTTPResponse) {
        guard let note = audit.note, !audit.isWritten else { return respond(response) }
        put(note, .done, then: .respond(response))
    }

    /// Answers with what is wrong, after the audit has it; a command is counted like one of a session.
    func refuse(_ refusal: Refusal, closes: Bool = false) {
        guard let request else { return respond(Problem(refusal), closes: closes) }
        if Router.isCommand(request) { door.settings.metrics.refusals.add(1) }
        // A write that is refused has undone its row.
        let refused = audit.note == nil ? AdminAPI(call: request, door: door).noteOfRefused() : nil
        audit.note = audit.note ?? refused?.note
        guard let note = audit.note, refusal.isFinal, !audit.isWritten || isWriting else {
            return respond(Problem(refusal, request: request), closes: closes)
        }
        if let wait = strangerWait(note, refusal) {
            audit.note = nil
            return respond(Problem(Refusal.tooMuchWork(wait), request: request), closes: closes)
        }
        let row: (note: AuditNote, leftOut: Int)? =
            if let refused { refused.bounded(by: door.settings.peers.refusals, at: door.loop.now) } else { (note, 0) }
        guard let row else { return respond(Problem(refusal, request: request), closes: closes) }
        put(row.note, .refused(refusal.code.rawValue), leftOut: row.leftOut, then: .refuse(refusal, closes: closes))
    }

    /// Users who are no administrators pay for their rows as they do for commands.
    ///
    /// - Returns: nil when the row may be written now; otherwise the milliseconds to wait.
    private func strangerWait(_ note: AuditNote, _ refusal: Refusal) -> Int64? {
        guard refusal.code == .forbidden, let user = UserID(note.actor) else { return nil }
        return door.settings.peers.users.find(user).take(1, at: door.loop.now)
    }

    /// Writes the row, and then goes on.
    ///
    /// - Parameter leftOut: refusals without a row, which the row counts.
    func put(_ note: AuditNote, _ outcome: AuditOutcome, leftOut: Int = 0, then next: RequestAudit.Next) {
        guard let request else { return }
        audit.next = next
        beginAnswering()
        do throws(Refusal) {
            try door.orders.submit(
                NoteAudit(note, outcome), by: .server, for: connection.address, .audit,
                source: .request(HandedRequest(request, noting: outcome, leftOut: leftOut)))
        } catch {
            noted(.failure(error))
        }
    }

    /// Writes the row when it can be written, and waits for nothing.
    private func putLater(_ note: AuditNote) {
        guard let request else { return }
        audit.isWritten = true
        do throws(Refusal) {
            try door.orders.submit(
                NoteAudit(note, .done), by: .server, for: nil, .none,
                handing: door.settings.isMember ? .request(HandedRequest(request, noting: .done)) : nil)
        } catch {
            door.settings.log.warning(
                "the audit lacks a request", ["action": note.action, "request": note.request, "reason": error.message])
        }
    }

    /// The row is on the disk, or could not be written. Nothing is shown or done without it; a refusal needs none.
    func noted(_ outcome: Outcome) {
        guard let next = audit.next else { return }
        audit.next = nil
        audit.isWritten = true
        isWriting = false
        switch (next, outcome) {
        case (.refuse(let refusal, let closes), _): respond(Problem(refusal, request: request), closes: closes)
        case (.respond, .failure(let refusal)), (.work, .failure(let refusal)):
            respond(Problem(refusal, request: request))
        case (.stream, .failure(let refusal)):
            dropCopy()
            respond(Problem(refusal, request: request))
        case (.stream(let news), .success):
            tellAction(200)
            received(news)
        case (.respond(let response), .success): respond(response)
        case (.work(let route), .success):
            do throws(Refusal) {
                try perform(route)
            } catch {
                respond(Problem(error, request: request))
            }
        }
    }

    /// Counts an administrator's action, and logs it where it was done.
    func tellAction(_ status: Int) {
        guard let note = audit.note else { return }
        door.settings.metrics.adminActions.add(1, note.action)
        AdministratorLine.leave(note, status, at: door)
    }
}

extension Refusal {
    /// Whether nothing was done and nothing will be. Of others the outcome is not known, or the client comes again: they
    /// leave a row when they do.
    fileprivate var isFinal: Bool { code.errorClass == .permanent }
}
