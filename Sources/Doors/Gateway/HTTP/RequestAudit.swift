import Admin
import Authentication
import ClientProtocol
import EventLoop
import Execution
import Model
import Quotas
import Services
import Store
import Telemetry
import ThreadMessages
import Wire

/// The row of a request in the audit, and what waits for it.
///
/// - Confinement: loop
struct RequestAudit {
    /// The work that waits for the row. It is kept apart, since most requests have none and their audit is copied.
    indirect enum Next {
        case respond(HTTPResponse)
        case refuse(Refusal, closes: Bool)
        case work(RoutedTask)
        /// The first news of an export.
        case stream(BackupNews)
    }

    private enum Row {
        /// The request leaves no row.
        case none
        case owed(AuditNote)
        /// It is a part of the request's own write.
        case inWrite(AuditNote)
        case written(AuditNote)
    }

    private var row = Row.none
    /// Nil when nothing waits.
    var next: Next?

    /// Nil where the request leaves no row.
    var note: AuditNote? {
        switch row {
        case .none: nil
        case .owed(let note), .inWrite(let note), .written(let note): note
        }
    }

    /// The row that is to be written before the request is answered.
    var owed: AuditNote? { if case .owed(let note) = row { note } else { nil } }

    mutating func owe(_ note: AuditNote?) { row = note.map(Row.owed) ?? .none }

    /// The request is a write, which writes the row as well.
    mutating func goesWithWrite() { row = note.map(Row.inWrite) ?? Row.none }

    /// The row that a refusal is to get.
    enum RefusedRow {
        case none
        /// The user has to wait until a row may be written.
        case tooMuch(waitMilliseconds: Int64)
        case row(RefusalsNote)
    }

    /// The request is refused. Users who are no administrators pay for their rows as they do for commands.
    mutating func row(ofRefused refusal: Refusal, _ request: HTTPCall, at door: LoopDoor) -> RefusedRow {
        let refused = note == nil ? AdminAPI(call: request, door: door).noteOfRefused() : nil
        if let refused { owe(refused.note) }
        // A write that is refused has undone its row.
        let owed = if case .inWrite(let note) = row { note } else { self.owed }
        guard let owed, refusal.isFinal else { return .none }
        if refusal.code == .forbidden, let user = UserID(owed.actor),
            let wait = door.settings.peers.users.find(user).take(1, at: door.loop.now)
        {
            owe(nil)
            return .tooMuch(waitMilliseconds: wait)
        }
        guard let refused else { return .row(RefusalsNote(owed)) }
        let peers = door.settings.peers
        return refused.bounded(by: peers.refusals, peers.users, at: door.loop.now).map(RefusedRow.row) ?? .none
    }

    /// The row is written, or will be.
    mutating func isSettled() { row = note.map(Row.written) ?? Row.none }
}

extension HTTPConversation {
    /// Does what a request asks for; puts the row into the audit before what leaves the machine or is done in no
    /// transaction.
    func begin(_ task: RoutedTask) throws(Refusal) {
        audit.owe(task.note)
        guard let note = task.note else { return try perform(task) }
        switch task.route {
        case .backup, .pushTrial, .effect(isNotedLater: false, _):
            put(note, .done, then: .work(task))
        case .effect(isNotedLater: true, let run):
            let response = run()
            putLater(note)
            respond(response)
        case .write, .now, .refused, .read, .content, .export, .openRead, .command, .events, .feedTrial, .upgrade:
            try perform(task)
        }
    }

    /// Answers a request that was done.
    func complete(_ response: HTTPResponse) {
        guard let note = audit.owed else { return respond(response) }
        put(note, .done, then: .respond(response))
    }

    /// Answers with what is wrong, after the audit has it; a command is counted like one of a session.
    func refuse(_ refusal: Refusal, closes: Bool = false) {
        guard let request else { return respond(Problem(refusal), closes: closes) }
        if Router.isCommand(request) { door.settings.metrics.refusals.add(1, refusal.code.rawValue) }
        switch audit.row(ofRefused: refusal, request, at: door) {
        case .none: respond(Problem(refusal, request: request), closes: closes)
        case .tooMuch(let wait): respond(Problem(Refusal.tooMuchWork(wait), request: request), closes: closes)
        case .row(let row):
            put(row.note, .refused(refusal.code.rawValue), row, then: .refuse(refusal, closes: closes))
        }
    }

    /// Writes the row, and then goes on. That of a refusal may count others, and have somebody who pays for it.
    func put(_ note: AuditNote, _ outcome: AuditOutcome, _ row: RefusalsNote? = nil, then next: RequestAudit.Next) {
        guard let request else { return }
        audit.next = next
        beginAnswering()
        do throws(Refusal) {
            try door.orders.submit(
                NoteAudit(note, outcome), by: .server, for: connection.address, .audit,
                bytes: row?.orderBytes ?? Limits.orderBytes, row?.account,
                source: .request(HandedRequest(request, noting: outcome, leftOut: row?.leftOut ?? 0)))
        } catch {
            noted(.failure(error))
        }
    }

    /// Writes the row when it can be written, and waits for nothing.
    private func putLater(_ note: AuditNote) {
        guard let request else { return }
        audit.isSettled()
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
        audit.isSettled()
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
        case (.work(let task), .success):
            do throws(Refusal) {
                try perform(task)
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
