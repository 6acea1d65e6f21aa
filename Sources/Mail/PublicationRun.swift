package import Model

/// Consecutive publications of one commit in one stream whose bytes are the same for nearly all readers: each receiver
/// gets them as one chunk.
///
/// - Confinement: any
package final class PublicationRun: Sendable {
    /// A run is not extended beyond this size, in bytes; a reader's queue may exceed its bound by this amount.
    package static let bytesMax = 48 << 10

    /// At least one, in the order of positions.
    package let publications: [FramedPublication]
    /// Their frames, one after the other.
    package let frames: [UInt8]
    /// The positions of those that count as an unread notification.
    package let notified: [Position]
    /// The positions of the first and the last of them.
    package let first, last: Position
    /// Whether readers with preferences may get other bytes.
    package let isForPreferences: Bool

    /// The steps between and after the publications, in order.
    package let between: [Between]

    /// A step that is not an event of the run.
    package struct Between {
        /// How many of the publications come before it.
        package let place: Int
        package let step: LoopStep

        package init(place: Int, step: LoopStep) {
            self.place = place
            self.step = step
        }
    }

    /// - Parameter publications: At least one; each must have a ``FramedPublication/sharedFrame``.
    package init(_ publications: [FramedPublication], between: [Between] = []) {
        self.publications = publications
        self.between = between
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
    /// The frame for all readers without preferences; nil when it differs between readers.
    package var sharedFrame: [UInt8]? {
        guard case .same(let bytes) = frame, publication.unread != .recount, publication.document == nil,
            publication.notification?.silence == nil, publication.reach == nil
        else { return nil }
        return bytes
    }

    /// Whether every receiver of this publication also receives the other one.
    package func hasReceivers(of other: FramedPublication) -> Bool {
        publication.stream == other.publication.stream && publication.secondStream == other.publication.secondStream
    }
}
