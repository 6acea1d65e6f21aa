import JSON
import Session

/// How the engine of a device behaves.
struct EngineSettings: Sendable {
    let user: String
    var device: String
    var locale: String?
    var client = "watchwise-swift/1"
    /// Whether the application decides about conflicts.
    var asksAboutConflicts = false
    /// How long events are collected while missed ones come.
    var batchMilliseconds: Int64 = 50
    /// How long the source of tokens may take.
    var tokenWithin = Duration.seconds(20)
    var clock = ClientClock.system
    var seed = UInt64.random(in: .min ... .max)
}

/// The reason for which a token is asked for.
/// - Confinement: any
public enum TokenReason: Sendable, Hashable {
    /// A connection is being made.
    case connect
    /// The token of the connection runs out.
    case expiring
}

/// Returns a fresh token of the user; nil signs out. It is asked once for all that wait, and may be asked at any time.
public typealias TokenSource = @Sendable (TokenReason) async throws -> String?

/// The owner of an engine.
@WatchWiseActor
protocol EngineOwner: AnyObject {
    /// The connection has another state.
    func engineChanged(to state: ConnectionState)
    /// An event of the server; the store has it.
    func engineReceived(_ event: JSONValue)
    /// Something beside rows of the store changed.
    func engineChanged(_ changes: Changes)
    func engineKept(_ key: String, isDurable: Bool)
    func engineDid(_ key: String, _ result: Result<JSONValue, WatchWiseError>)
    /// A `cancel`, `retry` or `discard` was not taken, or there is no room for a write.
    func engineRefused(_ key: String, _ error: WatchWiseError)
    /// A write has another key from now on, or became part of another one.
    func engineMoved(_ key: String, to other: String)
    /// The application is to decide about a write.
    func engineAsks(_ conflict: Conflict)
    /// The store does not take what it should.
    func engineFailed(_ error: any Error)
    /// Another device has a copy of this store.
    func engineIsCopied()
}
