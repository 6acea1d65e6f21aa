import DequeModule
import Journal

/// How old the heartbeats of other nodes are: each node says after its own which messages of this kind it has heard of the others,
/// so a heartbeat is at most as old as the message that is named.
///
/// The age counts and not the arrival: a link that was cut delivers afterwards what waited in it, and a process that stood still reads
/// first what came meanwhile.
///
/// - Confinement: any
struct HeartbeatEchoes: Sendable {
    /// Of 16 s, since one goes out every 250 ms. An echo of an older one says nothing.
    private static let keptMax = 64
    /// The longest time that counts as usual: a network that needs more is not slow, but broken.
    private static let usualMax: Int64 = 2000
    /// By how much the usual time may grow from one message to the next.
    private static let usualGrowth: Int64 = 5
    /// For how long the first echo of a process may stay away; then it is taken for an older program, which gives none.
    private static let firstEchoMax: Int64 = 1000

    private let node: String
    private let run: UInt64
    /// When the newest own messages were sent, and the number of the first of these.
    private var sent: Deque<Int64> = []
    private var firstNumber: UInt64 = 1
    /// The newest message of each other node, by its name, and when it came.
    private var heard: [String: (mark: EchoMessage.Mark, at: Int64)] = [:]
    /// How long a message to each node and its echo usually take: the shortest time of late, in milliseconds.
    private var usual: [String: Int64] = [:]
    /// The process of each name that was heard last.
    private var speakers: [String: Speaker] = [:]

    /// A process that sends heartbeats.
    private struct Speaker: Sendable {
        let run: UInt64
        /// When it was heard first.
        let since: Int64
        var givesEchoes = false
        /// Whether it has heard this process, so that it lives at the same time.
        var hearsThis = false

        /// Whether its program is an older one, which gives no echoes.
        func isOlder(at now: Int64) -> Bool { !givesEchoes && now - since >= HeartbeatEchoes.firstEchoMax }
    }

    /// - Parameter run: of this process.
    init(of node: String, run: UInt64) {
        self.node = node
        self.run = run
    }

    /// The message that goes out after a heartbeat.
    mutating func next(at now: Int64) -> EchoMessage {
        heard = heard.filter { now - $0.value.at <= NodeRoll.silenceMax }
        sent.append(now)
        if sent.count > Self.keptMax {
            sent.removeFirst()
            firstNumber += 1
        }
        let mark = EchoMessage.Mark(node: node, run: run, number: firstNumber + UInt64(sent.count) - 1)
        return EchoMessage(mark, heard: heard.values.map(\.mark).sorted { $0.node < $1.node })
    }

    /// Whether an echo is to show how old this heartbeat of another node is.
    ///
    /// The heartbeats of a process wait for its first one. If none comes within a second, the program is an older one that gives none:
    /// its heartbeats count from when they come.
    mutating func mustShow(_ node: String, run: UInt64, at now: Int64) -> Bool {
        !speaker(node, run: run, at: now).isOlder(at: now)
    }

    /// Whether another process with the name of this node lives now. A heartbeat alone does not show it: the link may have kept
    /// one of the process that this one follows. An echo that names this process does.
    mutating func hasNamesake(run: UInt64, at now: Int64) -> Bool {
        let namesake = speaker(node, run: run, at: now)
        return namesake.hearsThis || namesake.isOlder(at: now)
    }

    private mutating func speaker(_ node: String, run: UInt64, at now: Int64) -> Speaker {
        if let speaker = speakers[node], speaker.run == run { return speaker }
        let speaker = Speaker(run: run, since: now)
        speakers[node] = speaker
        return speaker
    }

    /// Takes the message of another node.
    ///
    /// - Returns: for how many milliseconds longer than usual the heartbeat before it was under way, at most; nil where nothing is
    ///   known of that.
    mutating func age(of message: EchoMessage, at now: Int64) -> Int64? {
        let other = message.mark.node
        var speaker = speaker(other, run: message.mark.run, at: now)
        speaker.givesEchoes = true
        defer { speakers[other] = speaker }
        // Messages that are not kept may come out of order.
        let known = heard[other]?.mark
        if known?.run != message.mark.run || (known?.number ?? 0) < message.mark.number {
            heard[other] = (message.mark, now)
        }
        guard let own = message.heard.first(where: { $0.node == node && $0.run == run }), own.number >= firstNumber,
            own.number - firstNumber < sent.count
        else { return nil }
        speaker.hearsThis = true
        let age = now - sent[Int(own.number - firstNumber)]
        let usual = min(age, (self.usual[other] ?? age) + Self.usualGrowth, Self.usualMax)
        self.usual[other] = usual
        return age - usual
    }
}
