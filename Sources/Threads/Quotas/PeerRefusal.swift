/// Why a limit turned away a connection or a request; for metrics.
///
/// - Confinement: any
package enum PeerRefusal: Int, CaseIterable {
    /// Its address has too many connections.
    case address
    /// Its user has too many sessions.
    case user
    /// The process has no descriptors for more.
    case descriptors
    /// The memory for peers is full.
    case memory
    /// No valid PROXY header came first.
    case proxyHeader
    /// It sent too much too fast.
    case flooding
    /// Its user causes too much work.
    case pace
    /// Its user has written too much.
    case written
    /// The writes that wait for the writer take too long already.
    case waitingWork

    package var name: String {
        switch self {
        case .address: "address"
        case .user: "user"
        case .descriptors: "descriptors"
        case .memory: "memory"
        case .proxyHeader: "proxy_header"
        case .flooding: "flooding"
        case .pace: "pace"
        case .written: "written"
        case .waitingWork: "waiting_work"
        }
    }

    package var help: String {
        switch self {
        case .address: "Connections and requests refused because their address had too many connections."
        case .user: "Sessions refused because their user had too many."
        case .descriptors: "Connections refused because the process has no free file descriptors."
        case .memory: "Requests and sessions ended because all clients together held too much memory."
        case .proxyHeader: "Connections of proxies that did not begin with a PROXY header."
        case .flooding:
            "Sessions ended because they sent too much too fast, or because too many of their hellos failed."
        case .pace: "Commands refused because their user, over all connections, caused too much work."
        case .written: "Writes refused because their user had written too much in the hour."
        case .waitingWork: "Writes refused because too many writes were already waiting."
        }
    }
}
