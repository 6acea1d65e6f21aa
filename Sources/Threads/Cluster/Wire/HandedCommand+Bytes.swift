import ClientProtocol
import Execution
package import Journal
import Model
package import ThreadMessages

extension HandedCommand {
    /// Everything but the ticket, which the message has.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(actor)
        bytes.append(signed: at.milliseconds)
        bytes.append(work)
        return bytes
    }

    package init(_ held: CommandsMessage.Held) throws(JournalProblem) {
        var reader = FieldReader(held.bytes, in: held.bytes.indices)
        let actor = try reader.actor()
        let at = Timestamp(milliseconds: try reader.signed("time"))
        let work = try reader.work()
        try reader.finish()
        self.init(ticket: held.ticket, actor: actor, at: at, work: work)
    }
}

private enum ActorCode {
    static let user: UInt8 = 0
    static let administrator: UInt8 = 1
    static let server: UInt8 = 2
}

private enum WorkCode {
    static let command: UInt8 = 0
    static let request: UInt8 = 1
    static let registration: UInt8 = 2
    static let deviceUse: UInt8 = 3
    static let watchedDocument: UInt8 = 4
    static let watchedCollection: UInt8 = 5
}

extension [UInt8] {
    fileprivate mutating func append(_ actor: Actor) {
        switch actor {
        case .user(let stream, let name, let roles):
            append(ActorCode.user)
            append(signed: stream.value)
            append(text: name.text)
            append(list: roles.sorted()) { $0.append(text: $1.text) }
        case .administrator(let subject):
            append(ActorCode.administrator)
            append(text: subject.text)
        case .server: append(ActorCode.server)
        }
    }

    fileprivate mutating func append(_ work: HandedWork) {
        switch work {
        case .command(let command):
            append(WorkCode.command)
            append(field: command.text)
            append(optional: command.device) { $0.append(text: $1) }
            append(language: command.deviceLanguage)
            append(optional: command.tokenID) { $0.append(text: $1) }
            append(optional: command.tokenIssued) { $0.append(signed: $1.milliseconds) }
            append(text: command.chain.text)
            append(isTrue: command.isPaced)
            // Older programs read the number of a claim here.
            append(isTrue: false)
        case .request(let request):
            append(WorkCode.request)
            append(text: request.method)
            append(text: request.target)
            append(list: request.fields) { bytes, field in
                bytes.append(text: field.name)
                bytes.append(text: field.value)
            }
            append(field: request.body)
        case .registration(let user, let language):
            append(WorkCode.registration)
            append(text: user.text)
            append(language: language)
        case .deviceUse(let device, let stream, let language):
            append(WorkCode.deviceUse)
            append(text: device)
            append(signed: stream.value)
            append(language: language)
        case .watchedStream(.document(let path)):
            append(WorkCode.watchedDocument)
            append(text: path.text)
        case .watchedStream(.collection(let path)):
            append(WorkCode.watchedCollection)
            append(text: path)
        }
    }

    private mutating func append(language: LanguageTag?) { append(optional: language) { $0.append(text: $1.text) } }
}

extension FieldReader {
    fileprivate mutating func actor() throws(JournalProblem) -> Actor {
        switch try byte("actor") {
        case ActorCode.user:
            let stream = StreamID(stored: try signed("actor's stream"))
            let name = try value("actor's name") { UserID(admitted: $0) }
            let roles = try list("roles") { reader throws(JournalProblem) in
                try reader.value("role") { RoleName($0) }
            }
            return .user(stream, name, roles: Set(roles))
        case ActorCode.administrator: return .administrator(try value("administrator") { UserID(admitted: $0) })
        case ActorCode.server: return .server
        default: throw .value(field: "actor")
        }
    }

    fileprivate mutating func work() throws(JournalProblem) -> HandedWork {
        switch try byte("work") {
        case WorkCode.command:
            let text = HandedText(
                try field("command"),
                device: try optional("device") { reader throws(JournalProblem) in try reader.text("device") },
                deviceLanguage: try language(),
                tokenID: try optional("token") { reader throws(JournalProblem) in try reader.text("token") },
                tokenIssued: try optional("token's time") { reader throws(JournalProblem) in
                    Timestamp(milliseconds: try reader.signed("token's time"))
                },
                chain: try value("chain") { $0.isEmpty ? TriggerChain.none : TriggerChain($0) },
                isPaced: try isTrue("paced"))
            _ = try optional("claim") { reader throws(JournalProblem) in try reader.signed("claim") }
            return .command(text)
        case WorkCode.request:
            return .request(
                HandedRequest(
                    method: try text("method"), target: try text("target"),
                    fields: try list("fields", bytesMin: 2) { reader throws(JournalProblem) in
                        HandedRequest.Field(name: try reader.text("field"), value: try reader.text("field's value"))
                    },
                    body: try field("body")))
        case WorkCode.registration:
            return .registration(try value("user") { UserID(admitted: $0) }, deviceLanguage: try language())
        case WorkCode.deviceUse:
            let device = try text("device")
            let stream = StreamID(stored: try signed("device's stream"))
            return .deviceUse(device, of: stream, language: try language())
        case WorkCode.watchedDocument:
            return .watchedStream(.document(try value("document") { try? DocumentPath($0) }))
        case WorkCode.watchedCollection:
            return .watchedStream(.collection(try value("collection") { try? DocumentPath.collection($0) }))
        default: throw .value(field: "work")
        }
    }

    private mutating func language() throws(JournalProblem) -> LanguageTag? {
        try optional("language") { reader throws(JournalProblem) in
            try reader.value("language") { LanguageTag($0) }
        }
    }
}
