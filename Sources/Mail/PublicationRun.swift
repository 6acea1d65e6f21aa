package import Model

/// Publications of one commit that follow each other in one stream and are the same bytes for nearly all who read it:
/// each of their receivers gets them as one chunk.
///
/// - Confinement: any
package final class PublicationRun: Sendable {
    /// Beyond this nothing more is joined, in bytes: by so much a reader's queue may pass its bound.
    package static let bytesMax = 48 << 10

    /// At least one, in the order of positions.
    package let publications: [FramedPublication]
    /// Their frames, one behind the other.
    package let frames: [UInt8]
    /// Positions of those that count as one more notification unread.
    package let notified: [Position]
    /// Of the first and the last of them.
    package let first, last: Position
    /// Whether readers with preferences may get something else.
    package let isForPreferences: Bool

    /// What comes between the publications and behind the last one, in its order.
    package let between: [Between]

    /// A step that is no event of the run.
    package struct Between {
        /// How many of the publications come before it.
        package let place: Int
        package let step: LoopStep

        package init(place: Int, step: LoopStep) {
            self.place = place
            self.step = step
        }
    }

    /// - Parameter publications: such as ``FramedPublication/sharedFrame`` is there for, at least one.
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
    /// The frame that all readers get but those with preferences; nil when it differs from reader to reader.
    package var sharedFrame: [UInt8]? {
        guard case .same(let bytes) = frame, publication.unread != .recount, publication.document == nil,
            publication.notification?.silence == nil, publication.reach == nil
        else { return nil }
        return bytes
    }

    /// Whether whoever gets this gets the other, too.
    package func hasReceivers(of other: FramedPublication) -> Bool {
        publication.stream == other.publication.stream && publication.secondStream == other.publication.secondStream
    }
}
