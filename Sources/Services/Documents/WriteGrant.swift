import Model

/// Under which condition a user may write.
///
/// - Confinement: any
package enum WriteGrant: Sendable, Hashable {
    case always
    case byContent(ContentGrant)
}
