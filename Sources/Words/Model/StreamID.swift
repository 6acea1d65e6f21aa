/// A sequence of log entries: a user's inbox, a topic that people follow, a chat, or everyone's.
///
/// A user sees the merge of the subscribed streams. A stream is a number, so that the hub looks up integers and not
/// names, and the number stays the same for good. It is stored as it is, and its sign says what the stream is:
///
/// | number | stream |
/// |---|---|
/// | 0 | nobody's: no reader ever sees its entries |
/// | 1 | everyone's |
/// | above 1 | one with a name in the table `streams`: an inbox, under its user's number; a topic; watched documents |
/// | below 0 | a chat's: the negative of the chat's number |
///
/// - Confinement: any
package struct StreamID: Sendable, Hashable, Comparable {
    /// The kind of a stream, as its number gives it.
    package enum Kind: Sendable, Hashable {
        case nobody
        case everyone
        /// A user's inbox, a topic, or watched documents.
        case named
        /// The chat of this number.
        case chat(Int64)
    }

    /// No reader ever sees its entries. It comes before all streams with names, so the first page of them begins after
    /// it.
    package static let nobody = StreamID(stored: 0)
    /// The stream to which every user is subscribed from the first connection on.
    package static let everyone = StreamID(stored: 1)

    /// The number, as it is stored.
    package let value: Int64

    /// A stream by a number that was stored, or that ``value`` gave.
    package init(stored value: Int64) { self.value = value }

    /// The stream of a chat's events, read by its members. The sessions of a room's members subscribe to it; the events of
    /// a pair are published to both inboxes.
    package init(chat: Int64) { value = -chat }

    /// The kind of the stream.
    package var kind: Kind {
        switch value {
        case ..<0: .chat(-value)
        case 0: .nobody
        case 1: .everyone
        default: .named
        }
    }

    package static func < (left: StreamID, right: StreamID) -> Bool { left.value < right.value }
}
