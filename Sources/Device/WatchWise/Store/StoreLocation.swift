/// Where the store of a device is.
/// - Confinement: any
public enum StoreLocation: Sendable, Hashable {
    /// A file, made when there is none; on Apple platforms in the app group, where extensions share it.
    case file(String)
    /// Nothing outlives the process.
    case memory
}
