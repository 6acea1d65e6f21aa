/// The present faults of the network, the journal's servers and the disks, and how late messages are. Faults
/// may overlap, so each is counted.
struct Weather {
    private var cutsOut = [0, 0, 0]
    private var cutsIn = [0, 0, 0]
    private var slowDisks = [0, 0, 0]
    private(set) var loss = 0
    private var slowNetwork = 0
    private var slowStore = 0
    private var lostSignals = 0
    private(set) var leaderless = 0
    /// The journal's leader is gone as soon as it accepts an entry, before it stores it.
    var isLeaderLostAtAppend = false
    /// The next entry that each node is to be sent; nil when it reads nothing.
    var reading: [Int?] = [nil, nil, nil]
    /// When the last entry reaches each node: they come in their order.
    var deliveredAt = [0, 0, 0]

    mutating func change(_ kind: Fault.Kind, of node: Int, by step: Int) {
        switch kind {
        case .cut(let isOut, let isIn):
            if isOut { cutsOut[node] += step }
            if isIn { cutsIn[node] += step }
        case .slowDisk: slowDisks[node] += step
        case .loss: loss += step
        case .slowNetwork: slowNetwork += step
        case .slowStore: slowStore += step
        case .lostSignals: lostSignals += step
        case .journalLeader: leaderless += step
        case .kill, .killAtPublish, .freeze, .terminate, .diskFull, .stepDown, .oldAnswers: break
        }
    }

    func isCut(_ node: Int) -> Bool { cutsOut[node] > 0 || cutsIn[node] > 0 }

    private func loses(_ dice: inout Dice) -> Bool { loss > 0 && dice.below(100) < 15 }

    func losesOut(_ node: Int, _ dice: inout Dice) -> Bool { cutsOut[node] > 0 || loses(&dice) }

    func losesIn(_ node: Int, _ dice: inout Dice) -> Bool { cutsIn[node] > 0 || loses(&dice) }

    /// Messages between nodes, which the journal does not keep.
    func losesSignals(_ dice: inout Dice) -> Bool { lostSignals > 0 && dice.below(100) < 90 }

    func delay(_ dice: inout Dice) -> Int {
        if slowNetwork > 0 { return dice.below(700) }
        return dice.once(in: 60) ? dice.below(80) : dice.below(4)
    }

    func storeDelay(_ dice: inout Dice) -> Int { slowStore > 0 ? dice.below(1500) : dice.within(1...3) }

    func applyDelay(of node: Int, _ dice: inout Dice) -> Int { slowDisks[node] > 0 ? dice.below(500) : 0 }
}
