import Model

/// The condition under which a user may write.
///
/// - Confinement: any
package enum WriteGrant: Sendable, Hashable {
    case always
    case byContent(ContentGrant)
}
