/// The kind of a document's change.
///
/// - Confinement: any
package enum ChangeEvent: String, Sendable, Hashable, CaseIterable {
    case create, update, delete
}

/// Which events a row of the trigger table asks for.
///
/// - Confinement: any
package enum WatchedEvent: String, Sendable, Hashable, CaseIterable {
    case create, update, delete
    /// All three.
    case write

    /// Whether a change of this kind is asked for.
    package func includes(_ event: ChangeEvent) -> Bool { self == .write || rawValue == event.rawValue }
}
