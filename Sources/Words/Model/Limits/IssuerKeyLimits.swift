/// The bounds of the keys of foreign issuers: how long they are valid, and how often they are fetched.
///
/// - Confinement: any
package enum IssuerKeyLimits {
    /// Time for which an issuer's keys are valid when the issuer gives none.
    package static let freshMilliseconds: Int64 = 3_600_000
    /// The shortest and the longest such time, whatever the issuer says: it is not asked too often, and new keys arrive
    /// within a day.
    package static let freshBounds: ClosedRange<Int64> = 60_000...86_400_000
    /// Time between two checks of a key file: one `stat`.
    package static let fileMilliseconds: Int64 = 5_000
    /// Time between two fetches because of unknown keys: anybody can send such tokens, and cannot cause more fetches.
    package static let wantedMilliseconds: Int64 = 10_000
    /// Time after a failed fetch, doubled each time up to the upper bound.
    package static let retryBounds: ClosedRange<Int64> = 1_000...300_000
    /// Time for the connection to an issuer, and for its whole answer.
    package static let connectMilliseconds = 5_000
    package static let answerMilliseconds = 10_000
    /// Time that a start waits for the keys; after it the server serves without them.
    package static let startMilliseconds = 2_000
    /// The time after which a client may try again with a token that cannot be verified yet.
    package static let clientWaitMilliseconds: Int64 = 2_000
}
