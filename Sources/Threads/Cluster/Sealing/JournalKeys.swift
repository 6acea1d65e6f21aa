/// The keys by which the nodes of a cluster know each other's messages, made from their common secret.
///
/// While the secret turns, a folder has two. All nodes must know a key before one of them signs with it; so the older one
/// signs until it is dropped.
///
/// - Confinement: any
package struct JournalKeys: Sendable {
    /// Signs.
    let signing: [UInt8]
    /// Open what others have signed.
    let accepted: [[UInt8]]

    /// - Parameter keys: 32 bytes each; the newest first. There is one at least.
    package init(_ keys: [[UInt8]]) {
        precondition(!keys.isEmpty, "nodes without a key cannot know each other")
        signing = keys[keys.count - 1]
        accepted = keys
    }
}
