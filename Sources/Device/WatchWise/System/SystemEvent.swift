/// News of the system for a device.
/// - Confinement: any
enum SystemEvent: Sendable, Hashable {
    /// A person looks at the application, or does no longer.
    case active, inactive
    case online, offline
    /// The process is about to be suspended: from now on it may hold no lock on a file that others share.
    case suspending
    case resumed
    /// Somebody has written to the store, perhaps another process.
    case written
}
