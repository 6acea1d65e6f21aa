import Authentication
import ClientProtocol

/// How far a session is on its way from `hello` to `bye`.
///
/// - Confinement: loop
enum SessionState {
    /// No `hello` yet; it must come before the loop's clock shows this.
    case waitingForHello(deadline: Int64)
    /// `hello` was accepted, the database is being read.
    indirect case starting(Greeting)
    case ready(SessionIdentity)
    case closing

    /// An accepted `hello` on its way.
    ///
    /// - Confinement: any
    struct Greeting {
        let id: RequestID?
        /// Nil where no token is shown, on a stream of Server-Sent Events.
        let claims: Claims?
        let hello: HelloCommand
        /// The paths that a stream of Server-Sent Events watches; it sends no commands.
        let watches: [WatchedPath]
    }
}

/// Where a session is on the way from `hello` to `live`, see ``StartAdmission``.
///
/// - Confinement: any
enum StartStage {
    /// Not on it.
    case none
    case waiting
    /// Until the node has what the client has seen on another one, see ``HeadWaits``.
    case waitingForHead
    case inWork
}
