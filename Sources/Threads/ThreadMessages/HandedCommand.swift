package import ClientProtocol
package import Execution
package import Model

/// The content of a write in the form in which it came to the server: so another node can take it as if it had come there.
///
/// Indirect, so that an order of a node that is alone has one empty word for it.
///
/// - Confinement: any
package indirect enum HandedWork: Sendable, Hashable {
    /// A command as its client wrote it, from a session or `POST /v1/commands`.
    case command(HandedText)
    /// A request to the admin API.
    case request(HandedRequest)
    /// The registration of a user who connects for the first time, or with another language.
    case registration(UserID, deviceLanguage: LanguageTag?)
    /// A registered device said `hello`.
    case deviceUse(String, of: StreamID, language: LanguageTag?)
    /// The changes of a path are to be logged.
    case watchedStream(WatchedPath)
}

/// A command's text, with what only its session knows.
///
/// - Confinement: any
package struct HandedText: Sendable, Hashable {
    /// One whole message of the client.
    package let text: [UInt8]
    /// The device of the session; nil where there is no session.
    package let device: String?
    /// The language that the session's `hello` named.
    package let deviceLanguage: LanguageTag?
    /// The `jti` and the `iat` of the token that it came with: the node that leads may know that it was revoked. A device that
    /// the command registers is kept with them, and goes when that token is revoked.
    package let tokenID: String?
    package let tokenIssued: Timestamp?
    /// The triggers through which the command came about.
    package let chain: TriggerChain
    /// Whether the user's work is bounded; an administrator's is not.
    package let isPaced: Bool

    package init(
        _ text: [UInt8], device: String?, deviceLanguage: LanguageTag?, tokenID: String? = nil,
        tokenIssued: Timestamp? = nil, chain: TriggerChain = .none, isPaced: Bool = true
    ) {
        self.text = text
        self.device = device
        self.deviceLanguage = deviceLanguage
        self.tokenID = tokenID
        self.tokenIssued = tokenIssued
        self.chain = chain
        self.isPaced = isPaced
    }
}

/// A request to the admin API.
///
/// - Confinement: any
package struct HandedRequest: Sendable, Hashable {
    package let method: String
    /// The path and the query, as they were sent.
    package let target: String
    /// The fields that the request's meaning depends on, the token among them.
    package let fields: [Field]
    package let body: [UInt8]

    /// A header field.
    ///
    /// - Confinement: any
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(method: String, target: String, fields: [Field], body: [UInt8]) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }
}

/// A write on its way from the node of its client to the node that leads.
///
/// - Confinement: any
package struct HandedCommand: Sendable, Hashable {
    /// Its number on the node of its client: one more than that of the one before.
    package let ticket: UInt64
    package let actor: Actor
    /// When it came, by the clock of its client's node.
    package let at: Timestamp
    package let work: HandedWork

    package init(ticket: UInt64, actor: Actor, at: Timestamp, work: HandedWork) {
        self.ticket = ticket
        self.actor = actor
        self.at = at
        self.work = work
    }
}

/// The node and the number of a write that another node has handed on; its answer goes there.
///
/// - Confinement: any
package struct HandedOrigin: Sendable, Hashable {
    package let node: String
    package let ticket: UInt64
    /// The leadership to which it was handed. In a later one it is void, also on the same node: its node has handed it on
    /// again, perhaps to another node that has committed it.
    package let term: UInt64

    package init(node: String, ticket: UInt64, term: UInt64) {
        self.node = node
        self.ticket = ticket
        self.term = term
    }
}

/// The answer to a handed write that no entry of the journal carries, because nothing was written.
///
/// - Confinement: any
package struct UnwrittenAnswer: Sendable {
    package let ticket: UInt64
    /// The newest entry of the journal when it was answered: what the answer says may be seen from there on, so the client
    /// gets it when its node has applied that entry.
    package let after: UInt64
    package let outcome: Outcome

    package init(ticket: UInt64, after: UInt64, outcome: Outcome) {
        self.ticket = ticket
        self.after = after
        self.outcome = outcome
    }
}
