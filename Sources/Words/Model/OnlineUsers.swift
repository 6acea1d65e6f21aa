/// The users who were online at a moment, on any node.
///
/// - Confinement: any
package struct OnlineUsers: Sendable {
    /// Nobody.
    package static let none = OnlineUsers(count: 0) { _ in false }

    /// Users with a session on this node.
    package let count: Int
    private let isOnline: @Sendable (StreamID) -> Bool

    package init(count: Int, _ isOnline: @escaping @Sendable (StreamID) -> Bool) {
        self.count = count
        self.isOnline = isOnline
    }

    /// Whether the user had a session anywhere.
    package func contains(_ user: StreamID) -> Bool { isOnline(user) }
}
