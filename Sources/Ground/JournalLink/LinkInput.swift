/// The news for the owner's loop from libnats' threads and from the thread that opens connections.
/// - Confinement: any
enum LinkInput: Sendable {
    /// A connection is open.
    case opened(NATSConnection, JournalServer, JournalAddress)
    /// A server does not fit, as a sentence; the next one is tried.
    case unfit(String)
    /// No server could be used; the reason of the last one.
    case failed(reason: String)
    /// The connection with this number is over.
    case closed(connection: Int, reason: String)
    /// libnats or the server reports trouble on the connection with this number, which stays open.
    case trouble(connection: Int, reason: String)
    /// Bytes of the connection with this number wait to be written.
    case unwritten(connection: Int)
}
