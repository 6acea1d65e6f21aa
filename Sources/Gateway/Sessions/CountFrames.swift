import ClientProtocol
import Mail
import Model
import Wire

/// `unread` events as frames, shared by all sessions of a loop whose counts are the same: most are small.
///
/// - Confinement: loop
struct CountFrames {
    private static let placesCount = 256

    private struct Place {
        var counts = UnreadCounts(chats: -1, notifications: -1)
        var frame: [UInt8] = []
    }

    private var alone = Array(repeating: Place(), count: placesCount)
    private var behindRun = Array(repeating: Place(), count: placesCount)
    /// The run that the frames of ``behindRun`` begin with.
    private var run: PublicationRun?
    private var usedBehindRun: [Int] = []

    /// The frame that tells a client its counts.
    subscript(_ counts: UnreadCounts) -> [UInt8] {
        mutating get {
            let place = Self.place(of: counts)
            if alone[place].counts != counts {
                alone[place] = Place(counts: counts, frame: FrameEncoder.text(Event.unread(counts).json))
            }
            return alone[place].frame
        }
    }

    /// The frames of a run with that of the counts behind it, as one chunk.
    mutating func frames(of run: PublicationRun, _ counts: UnreadCounts) -> [UInt8] {
        if self.run !== run { begin(run) }
        let place = Self.place(of: counts)
        if behindRun[place].counts.notifications != counts.notifications
            || behindRun[place].counts.chats != counts.chats
        {
            if behindRun[place].frame.isEmpty { usedBehindRun.append(place) }
            behindRun[place] = Place(counts: counts, frame: run.frames + self[counts])
        }
        return behindRun[place].frame
    }

    /// A run is delivered: what was made of it is let go.
    mutating func end() {
        for place in usedBehindRun { behindRun[place] = Place() }
        usedBehindRun.removeAll(keepingCapacity: true)
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
