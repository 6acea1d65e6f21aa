import Model

/// The kinds of a ``StreamID`` in SQL.
package enum StreamSQL {
    /// The condition that the column `stream` is a chat's.
    package static let isChat = "stream < 0"
    /// The number of that chat.
    package static let chat = "-stream"
    /// The stream to which every user is subscribed.
    package static let everyone = String(StreamID.everyone.value)
}
