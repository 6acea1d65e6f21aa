package import Model

/// Publications of one commit that follow each other in one stream and are the same bytes for nearly all their readers:
/// each receiver gets them as one chunk.
///
/// - Confinement: any
package final class PublicationRun: Sendable {
    /// The largest size of a run of several publications, in bytes. A reader's queue may pass its bound by this.
    package static let bytesMax = 48 << 10

    /// At least one, in the order of positions.
    package let publications: [FramedPublication]
    /// Their frames, one after the other.
    package let frames: [UInt8]
    /// Positions of those that count as one more unread notification.
    package let notified: [Position]
    /// The messages of a room among them.
    package let messages: RoomMessages?
    /// Positions of the first and the last of them.
    package let first, last: Position
    /// Whether readers with preferences may get something else.
    package let isForPreferences: Bool
    /// Whether they are changes of documents; then their streams are those of watches.
    package let isOfDocuments: Bool

    /// - Parameter publications: at least one; each has a ``FramedPublication/sharedFrame``.
    package init(_ publications: [FramedPublication]) {
        self.publications = publications
        notified = publications.compactMap { $0.publication.unread == .oneMore ? $0.publication.position : nil }
        messages = RoomMessages(publications)
        if publications.count == 1 {
            frames = publications[0].sharedFrame ?? []
        } else {
            var joined: [UInt8] = []
            joined.reserveCapacity(publications.reduce(0) { $0 + ($1.sharedFrame?.count ?? 0) })
            for publication in publications { joined += publication.sharedFrame ?? [] }
            frames = joined
        }
        first = publications[0].publication.position
        last = publications[publications.count - 1].publication.position
        isForPreferences = publications.contains { $0.publication.notification != nil }
        isOfDocuments = publications[0].publication.document != nil
    }

    package var stream: StreamID { publications[0].publication.stream }
    package var secondStream: StreamID? { publications[0].publication.secondStream }
}

/// Some messages of a room, as far as their authors decide for which readers they are unread.
///
/// - Confinement: any
package struct RoomMessages: Sendable {
    private let author: StreamID
    private let first: Position
    /// The first one by somebody else than ``author``.
    private var firstOfOthers: Position?

    /// Nil when there are none among the publications.
    fileprivate init?(_ publications: [FramedPublication]) {
        var found: RoomMessages?
        for framed in publications {
            guard case .message(let author) = framed.publication.unread else { continue }
            if found == nil {
                found = RoomMessages(author: author, first: framed.publication.position)
            } else if found?.firstOfOthers == nil, found?.author != author {
                found?.firstOfOthers = framed.publication.position
            }
        }
        guard let found else { return nil }
        self = found
    }

    private init(author: StreamID, first: Position) {
        self.author = author
        self.first = first
    }

    /// Where the room becomes unread for a reader; nil for somebody who has written all of them.
    package func firstUnread(for reader: StreamID) -> Position? { reader == author ? firstOfOthers : first }
}

extension FramedPublication {
    /// The frame that all readers get except those with preferences; nil when it differs from reader to reader.
    package var sharedFrame: [UInt8]? {
        guard case .same(let bytes) = frame, publication.unread != .recount, publication.notification?.silence == nil,
            publication.reach == nil
        else { return nil }
        return bytes
    }

    /// Whether everybody who gets this publication gets the other one, too; of documents, everybody whose watch admits it.
    package func hasReceivers(of other: FramedPublication) -> Bool { publication.hasReceivers(of: other.publication) }
}
