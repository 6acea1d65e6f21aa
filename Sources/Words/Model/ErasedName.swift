/// The name of an erased person, as it is known afterwards: by a digest, so that nobody can read it.
///
/// - Confinement: any
package struct ErasedName: Sendable, Hashable {
    /// A keyed digest of the name.
    package let hash: String
    /// When the person was erased.
    package let at: Timestamp
    /// Until then the name is refused.
    package let until: Timestamp
    /// Whether the name may come in again, as somebody new: with tokens that were issued after the erasure.
    package let isInvited: Bool

    package init(hash: String, at: Timestamp, until: Timestamp, isInvited: Bool) {
        self.hash = hash
        self.at = at
        self.until = until
        self.isInvited = isInvited
    }
}
