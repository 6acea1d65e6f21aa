package import JSON

/// An action for the owner of an ``Outbox``; the order matters. All that concern the store are one transaction.
/// - Confinement: any
package enum OutboxAction: Sendable, Equatable {
    /// Store an entry, durably the first time; `kept` follows.
    case keep(WriteEntry)
    /// Store what changed of an entry; nothing follows.
    case save(WriteEntry)
    /// Remove an entry from the store; `removed` follows.
    case remove(key: String)
    /// Tell the application that a write is stored, and whether it survives the process.
    case kept(key: String, isDurable: Bool)
    /// Submit a command that is not repeated by the session; `reply` follows.
    case send(key: String, JSONObject)
    /// Tell the application that a write was done.
    case done(key: String, ok: JSONValue)
    /// Tell the application that a write will not be done; its class is `cancelled` where the application ended it.
    case ended(key: String, error: JSONValue)
    /// A `write`, `cancel` or `discard` is not taken.
    case refused(key: String, error: JSONValue)
    /// A write is now part of an earlier one.
    case merged(key: String, into: String)
    /// An entry has another key from now on.
    case renamed(key: String, to: String)
    /// Ask the application what to do with a write of a document that somebody else has changed.
    case conflict(key: String, mine: JSONObject, base: WriteEntry.Origin?, current: WriteEntry.Version)
}
