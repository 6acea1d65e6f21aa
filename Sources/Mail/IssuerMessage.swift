import EventLoop

/// What other threads tell the thread that keeps the keys of issuers.
///
/// - Confinement: any
package enum IssuerMessage: Sendable {
    /// A token names a key of this issuer that is not here.
    case keyWanted(issuer: String)
    /// Read and fetch everything now.
    case reload
    case stop
}
