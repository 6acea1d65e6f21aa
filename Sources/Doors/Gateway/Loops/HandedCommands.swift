import Admin
import ClientProtocol
import EventLoop
import Execution
import JSON
import Model
import Quotas
import Services
import Telemetry
import ThreadMessages

/// Takes the writes that other nodes hand to this one, which leads: reads each as if its client had sent it here, and
/// submits it to the writer.
///
/// Its rights are checked here and in the transaction, not where it came from. The outcome goes into the journal's entry, or
/// to the node by itself; a refusal before that goes there at once.
///
/// - Confinement: loop
final class HandedCommands {
    private let door: LoopDoor

    init(_ door: LoopDoor) { self.door = door }

    /// - Parameters:
    ///   - node: that handed them on.
    ///   - term: of this node's leadership.
    func receive(_ commands: [HandedCommand], from node: String, in term: UInt64) {
        for command in commands {
            let origin = HandedOrigin(node: node, ticket: command.ticket, term: term)
            do throws(Refusal) {
                try submit(command, origin)
            } catch {
                door.settings.mail.cluster?.post(.answer(origin, after: 0, .failure(error)))
            }
        }
    }

    private func submit(_ command: HandedCommand, _ origin: HandedOrigin) throws(Refusal) {
        switch command.work {
        case .command(let text): try submit(text, command, origin)
        case .request(let request): try submit(request, origin)
        case .registration(let user, let language):
            try door.orders.submit(
                RegisterUser(user, deviceLanguage: language), by: .server, of: origin, account(of: user))
        case .deviceUse(let device, let user, let language):
            try door.orders.submit(
                NoteDeviceUse(device, of: user, language: language), by: .server, of: origin)
        case .watchedStream(let path): try door.orders.submit(OpenWatchedStream(path), by: .server, of: origin)
        }
    }

    // MARK: Commands

    private func submit(_ text: HandedText, _ command: HandedCommand, _ origin: HandedOrigin) throws(Refusal) {
        let (actor, source) = (command.actor, command.work)
        // Its node may not know yet that the token was revoked, or the user banned.
        if case .user(_, let name, _) = actor {
            let bearer = Bearer(user: name, tokenID: text.tokenID, issuedAt: text.tokenIssued)
            try door.tokens.check(bearer, isAdmin: !text.isPaced)
        }
        let envelope: CommandEnvelope
        switch CommandEnvelope.decode(text.text) {
        case .success(let decoded): envelope = decoded.keeping(text.text)
        case .failure(let refused): throw refused.refusal
        }
        var account: UserAccount?
        if case .user(_, let name, _) = actor, text.isPaced { account = self.account(of: name) }
        let (bytes, weight) = (envelope.heldBytes, envelope.weight)
        switch envelope.work {
        case .write(var documents as WriteDocuments):
            documents.chain = text.chain
            try door.orders.submit(
                documents, by: actor, of: origin, bytes: bytes, weight: weight, account, source)
        case .write(let useCase):
            try door.orders.submit(useCase, by: actor, of: origin, bytes: bytes, weight: weight, account, source)
        case .device(let command):
            guard let device = text.sessionDevice else { throw unexpected("\(envelope.name) without a device") }
            let useCase = try command.useCase(of: device, door.settings.pushOffer)
            try door.orders.submit(useCase, by: actor, of: origin, bytes: bytes, account, source)
        case .refused(let refusal): throw refusal
        case .read, .readInLanguage, .ping, .typing, .hello, .presence, .focus, .watch, .unwatch:
            throw unexpected(envelope.name)
        }
    }

    private func account(of user: UserID) -> UserAccount { door.settings.peers.users.find(user) }

    // MARK: Requests

    /// The token is verified again: the client's node may not know yet that it was revoked.
    private func submit(_ request: HandedRequest, _ origin: HandedOrigin) throws(Refusal) {
        let name = "\(request.method) \(request.target.prefix(200))"
        guard let call = request.call else { throw unexpected(name) }
        if let outcome = request.outcome {
            guard let noted = try AdminAPI(call: call, door: door).noteOfAny() else { throw unexpected(name) }
            // The user may have been refused on this node or on a third one a moment ago.
            let peers = door.settings.peers
            let row = noted.bounded(by: peers.refusals, peers.users, besides: request.leftOut, at: door.loop.now)
            guard let row else { throw Refusal(.rateLimited, "the user's refusal is noted once a minute") }
            return try door.orders.submit(
                NoteAudit(row.note, outcome), by: .server, of: origin, bytes: row.orderBytes, row.account)
        }
        let task = try Router.task(of: call, at: door)
        guard case .write(let useCase) = task.route else { throw unexpected(name) }
        let bytes = Limits.orderBytes + JSONValue.treeBytes(ofText: request.body)
        try door.orders.submit(useCase, by: task.actor, of: origin, bytes: bytes, audit: task.note)
    }

    /// Nodes hand on what writes; anything else is a mistake of this program, or of another version of it.
    private func unexpected(_ what: String) -> Refusal {
        door.settings.log.error("another node handed on something that writes nothing", ["what": what])
        return Refusal(.internal, "the server failed on this; its log says why; repeat it")
    }
}

extension HandedText {
    /// The device of the session; nil where there is no session.
    fileprivate var sessionDevice: SessionDevice? {
        device.map {
            SessionDevice(name: $0, language: deviceLanguage, tokenID: tokenID, tokenIssued: tokenIssued)
        }
    }
}

@available(*, unavailable)
extension HandedCommands: Sendable {}
