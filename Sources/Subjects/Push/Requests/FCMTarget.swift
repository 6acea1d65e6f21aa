/// A device of FCM, by one of its two names.
///
/// - Confinement: any
package enum FCMTarget: Sendable, Hashable {
    case token(String)
    /// The id of the app's Firebase installation; Google's later name for a device.
    case installation(String)
}
