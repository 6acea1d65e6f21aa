import ClientProtocol
package import Model
import Wire

/// `unread` events as frames, shared by all sessions of a loop whose counts are the same: most counts are small.
///
/// - Confinement: loop
package struct CountFrames {
    private static let placesCount = 256

    private struct Place {
        var counts = UnreadCounts(chats: -1, notifications: -1)
        var frame: [UInt8] = []
    }

    private var alone = Array(repeating: Place(), count: placesCount)
    private var afterRun = Array(repeating: Place(), count: placesCount)
    /// The run that the frames of ``afterRun`` begin with.
    private var run: PublicationRun?
    private var usedAfterRun: [Int] = []

    package init() {}

    /// The frame that sends a client its counts.
    package subscript(_ counts: UnreadCounts) -> [UInt8] {
        mutating get {
            let place = Self.place(of: counts)
            if alone[place].counts != counts {
                alone[place] = Place(counts: counts, frame: FrameEncoder.text(Event.unread(counts).json))
            }
            return alone[place].frame
        }
    }

    /// The frames of a run and then that of the counts, as one chunk.
    package mutating func frames(of run: PublicationRun, _ counts: UnreadCounts) -> [UInt8] {
        if self.run !== run { begin(run) }
        let place = Self.place(of: counts)
        if afterRun[place].counts.notifications != counts.notifications
            || afterRun[place].counts.chats != counts.chats
        {
            if afterRun[place].frame.isEmpty { usedAfterRun.append(place) }
            afterRun[place] = Place(counts: counts, frame: run.frames + self[counts])
        }
        return afterRun[place].frame
    }

    /// A run is delivered: releases what was made for it.
    package mutating func end() {
        for place in usedAfterRun { afterRun[place] = Place() }
        usedAfterRun.removeAll(keepingCapacity: true)
        run = nil
    }

    private mutating func begin(_ run: PublicationRun) {
        end()
        self.run = run
    }

    private static func place(of counts: UnreadCounts) -> Int {
        Int(truncatingIfNeeded: counts.notifications &+ counts.chats &* 17) & (placesCount - 1)
    }
}
