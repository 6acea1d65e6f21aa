public import Foundation
import Session

/// The state of the connection, for an application to show. An application need not look at it: lists and writes work in each.
/// - Confinement: any
public enum ConnectionState: Sendable, Hashable {
    /// `connect()` has not been called yet, or `disconnect()` was.
    case idle
    case connecting
    /// Missed events come.
    case catchingUp
    /// This device has everything. Only now lists are complete.
    case live
    /// The next attempt is at this time, the `attempt`th since the connection was live; `reason` is a sentence about the last
    /// one, such as `the upgrade was refused with status 404`. A wrong address or certificate shows here, too: a network that
    /// wants a sign-in first answers so in the server's place.
    case waiting(until: Date, attempt: Int, reason: String?)
    /// The system says that there is no network.
    case offline
    /// There is no token; or, with a reason, none is accepted: then another one is asked for from time to time, and at once when a
    /// person looks, the network is back, or `connect()` is called.
    case signedOut(reason: String?)
    /// The server forbids another attempt, or the token is that of another user: code `other-user`.
    case blocked(code: String?, reason: String?)
    case closed

    init(_ status: ClientSessionStatus, at now: Int64, after end: TransportEnd?) {
        switch status {
        case .idle: self = .idle
        case .connecting: self = .connecting
        case .catchingUp: self = .catchingUp
        case .live: self = .live
        case .waiting(let until, let attempt):
            let time = Date(timeIntervalSinceNow: Double(until - now) / 1000)
            self = .waiting(until: time, attempt: attempt, reason: end?.description)
        case .offline: self = .offline
        case .signedOut(let reason): self = .signedOut(reason: reason)
        case .blocked(let code, let reason): self = .blocked(code: code, reason: reason)
        case .closed: self = .closed
        }
    }
}

/// A word about the store on this device.
/// - Confinement: any
public enum StorageEvent: Sendable, Hashable {
    /// There is no room, or the database is gone: the library goes on in memory.
    case memory(reason: String)
    /// A newer version of the application has changed the store: it is read no longer, and the library goes on in memory.
    case outdated
    /// A write of the store failed; it is tried again with the next one.
    case failing(reason: String)
    /// Another process has opened the store and connects: this one reads it, and its writes go out there.
    case inUse
    /// Another device has a copy of the store: this one has taken another name.
    case copied
}
