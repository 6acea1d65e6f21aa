import Model

/// The kinds of a ``StreamID`` in SQL.
enum StreamSQL {
    /// The condition that the column `stream` is a chat's.
    static let isChat = "stream < 0"
    /// The number of that chat.
    static let chat = "-stream"
    /// The stream to which every user is subscribed.
    static let everyone = String(StreamID.everyone.value)
}
