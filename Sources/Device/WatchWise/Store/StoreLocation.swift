/// Where the store of a device is.
/// - Confinement: any
public enum StoreLocation: Sendable, Hashable {
    /// A file, made when there is none; on Apple platforms in the app group, where extensions share it.
    case file(String)
    /// Nothing outlives the process.
    case memory
}

extension StoreLocation {
    var path: String? { if case .file(let path) = self { path } else { nil } }

    /// The pause between two looks at what other processes have written: a minute where there is none, or the system says it.
    var pause: Duration { path == nil || SystemObserver.seesWrites ? .seconds(60) : .seconds(1) }
}
