package import JSON

/// A write that the server has not answered yet, as a device stores it.
/// - Confinement: any
package struct WriteEntry: Sendable, Equatable {
    /// How far it has come.
    package enum State: String, Sendable, Hashable {
        case queued, sent
        /// It was sent so long ago that nobody knows whether it was done: the application decides.
        case uncertain
        /// A write before it on its document was refused: the application decides about that one first.
        case blocked
        case failed
    }

    /// A version of a document.
    package struct Version: Sendable, Equatable {
        /// 0 when there is none.
        package var version: Int64
        /// An object; null when there is none.
        package var data: JSONValue

        package init(version: Int64, data: JSONValue) {
            self.version = version
            self.data = data
        }

        /// A version as errors and events show it.
        init(of value: JSONValue?) {
            self.init(version: value?["version"]?.integerValue ?? 0, data: value?["data"] ?? .null)
        }
    }

    /// The version of the document that a write was made on.
    package struct Origin: Sendable, Equatable {
        package var made: Version
        /// Whether the write before it in its lane has made this version.
        package var isResult: Bool
        /// The version that the write before it has made, when this one goes once more on a later one.
        package var result: Version?

        package init(_ made: Version, isResult: Bool = false, result: Version? = nil) {
            self.made = made
            self.isResult = isResult
            self.result = result
        }

        /// The version that it has from the write before it; nil when it has none.
        var fromBefore: Version? { isResult ? made : result }
    }

    /// The key of the write.
    package var key: String
    /// The store's ascending number; nil until it is stored.
    package var order: Int64?
    /// The message without `id`.
    package var command: JSONObject
    /// Writes of one lane go one after the other.
    package let lane: String
    package var state = State.queued
    /// When it was first sent, by the server's time in milliseconds.
    package var firstSent: Int64?
    package var attempts = 0
    /// The server's last refusal, an error as the contract writes it.
    package var error: JSONValue?
    /// Nil when the document is not known, and for other writes.
    package var base: Origin?
    /// Whether it writes a document whose version the application did not give.
    package var isChained: Bool

    /// A write of a user.
    package init(_ key: String, _ command: JSONObject, base: Version?, of user: String) {
        self.key = key
        self.command = command
        lane = WriteKind.lane(of: command, user)
        let isDocument = WriteKind.isDocument(command)
        self.base = isDocument ? base.map { Origin($0) } : nil
        isChained = isDocument && command["ifVersion"] == nil
    }

    /// An entry of a store.
    package init(
        key: String, order: Int64?, command: JSONObject, lane: String, state: State, firstSent: Int64?, attempts: Int,
        error: JSONValue?, base: Origin?, isChained: Bool
    ) {
        self.key = key
        self.order = order
        self.command = command
        self.lane = lane
        self.state = state
        self.firstSent = firstSent
        self.attempts = attempts
        self.error = error
        self.base = base
        self.isChained = isChained
    }

    /// The `type` of its command.
    package var type: String { command["type"]?.stringValue ?? "" }
    /// Whether it writes a document.
    package var isDocument: Bool { WriteKind.isDocument(command) }
    /// Whether it holds those after it in its lane until the application decides.
    var isHolding: Bool { (state == .failed || state == .uncertain) && isDocument }
    /// Whether it lets those after it in its lane pass.
    var isAside: Bool { (state == .failed || state == .uncertain) && !isDocument }

    /// Whether a conflict shows what this very write makes: it was done before, and the server forgot its key.
    func isDone(by current: Version) -> Bool {
        if command["type"] == "remove" { return current.data.isNull }
        let wanted = command["ifVersion"]?.integerValue ?? 0
        if current.data.isNull || wanted > 0 && current.version != wanted + 1 { return false }
        return current.data == WriteKind.result(of: command, on: current.data)
    }
}
