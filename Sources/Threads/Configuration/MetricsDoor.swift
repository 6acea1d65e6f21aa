/// Which requests `/metrics` answers, and `/readyz` in detail, on the listeners of the API.
///
/// - Confinement: any
package enum MetricsDoor: Sendable, Hashable, CaseIterable {
    /// Those of programs of this machine that come by no proxy, and those with a token that opens the figures.
    case local
    /// All.
    case open
    /// Those with a token.
    case token
}
