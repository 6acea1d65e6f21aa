/// A hint of the system. None of them is certain: an open connection is asked for a sign of life, not given up.
/// - Confinement: any
package enum SystemHint: String, Sendable, Hashable, CaseIterable {
    /// There is no network, and again one.
    case offline, online
    /// A person looks at the application, or does no longer.
    case visible, hidden
    /// The machine has slept.
    case woke
}

/// Hints of the system about the network and the person.
/// - Confinement: any
struct SystemHints: Sendable {
    /// Whether there is no network.
    private(set) var isOffline = false
    /// Whether a person looks.
    private(set) var isVisible = false

    mutating func take(_ hint: SystemHint) {
        switch hint {
        case .offline, .online: isOffline = hint == .offline
        case .visible, .hidden: isVisible = hint == .visible
        case .woke: break
        }
    }
}
