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
    /// Positions of the first and the last of them.
    package let first, last: Position
    /// Whether readers with preferences may get something else.
    package let isForPreferences: Bool

    /// - Parameter publications: at least one; each has a ``FramedPublication/sharedFrame``.
    package init(_ publications: [FramedPublication]) {
        self.publications = publications
        notified = publications.compactMap { $0.publication.unread == .oneMore ? $0.publication.position : nil }
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
    }

    package var stream: StreamID { publications[0].publication.stream }
    package var secondStream: StreamID? { publications[0].publication.secondStream }
}

extension FramedPublication {
    /// The frame that all readers get except those with preferences; nil when it differs from reader to reader.
    package var sharedFrame: [UInt8]? {
        guard case .same(let bytes) = frame, publication.unread != .recount, publication.document == nil,
            publication.notification?.silence == nil, publication.reach == nil
        else { return nil }
        return bytes
    }

    /// Whether everybody who gets this publication gets the other one, too.
    package func hasReceivers(of other: FramedPublication) -> Bool {
        publication.stream == other.publication.stream && publication.secondStream == other.publication.secondStream
    }
}
