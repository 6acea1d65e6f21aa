/// Messages to the thread that keeps the keys of issuers.
///
/// - Confinement: any
package enum IssuerMessage: Sendable {
    /// A token names a key of this issuer that is not known here.
    case keyWanted(issuer: String)
    /// Read and fetch all keys now.
    case reload
    case stop
}
