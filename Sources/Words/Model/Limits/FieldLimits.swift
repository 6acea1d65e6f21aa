/// Bounds of single fields that the protocol leaves open, chosen so that no honest client reaches them.
///
/// - Confinement: any
package enum FieldLimits {
    /// Bytes of a token: a Firebase ID token has about 1,200.
    package static let tokenBytesMax = 8192
    /// Characters of a device's id: room for a UUID with a prefix.
    package static let deviceBytesMax = 128
    /// Bytes of a reaction: the longest emoji of today, a kiss of two people with two colours of skin, has 35.
    package static let emojiBytesMax = 64
    /// Characters of the client's name and version.
    package static let clientCharactersMax = 128
    /// Characters of a product's title: the longest film title known has 190.
    package static let productTitleCharactersMax = 500
    /// Characters of an address: the length that all browsers support.
    package static let addressCharactersMax = 2048
    /// Bytes of a list's `next`.
    package static let cursorBytesMax = 256
    /// Bytes of a notification's id.
    package static let notificationIDBytesMax = 64
    /// Notifications marked as seen by one command: a page.
    package static let seenIDsMax = 200
    /// The greatest whole number that every JSON reader keeps exactly (2^53 - 1).
    package static let integerMax: Int64 = 9_007_199_254_740_991
}
