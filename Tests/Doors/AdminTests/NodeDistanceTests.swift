import ClientProtocol
import Telemetry
import Testing
@testable import Admin

/// When a node of several takes sessions, and when those that it has are to go.
@Suite struct NodeDistanceTests {
    private func distance(
        _ role: NodeStanding.Role = .following, lag: Int64 = 0, cutOff: Int64? = nil
    ) -> NodeDistance {
        var facts = NodeStanding.Facts()
        facts.role = role
        facts.lagMilliseconds = lag
        if let cutOff { (facts.unprovedMilliseconds, facts.hearsOthers) = (cutOff, false) }
        return NodeDistance(facts, readyMilliseconds: 5000, closeMilliseconds: 15_000)
    }

    @Test(arguments: [.alone, .following, .leading] as [NodeStanding.Role])
    func `the bounds themselves are not passed`(_ role: NodeStanding.Role) {
        for (lag, cutOff, takes, stays) in [
            (0, nil, true, true), (5000, nil, true, true), (5001, nil, false, true), (15_000, nil, false, true),
            (15_001, nil, false, false), (0, 1999, true, true), (0, 2000, false, true), (0, 14_999, false, true),
            (0, 15_000, false, false),
        ] as [(Int64, Int64?, Bool, Bool)] {
            let distance = distance(role, lag: lag, cutOff: cutOff)
            #expect((distance.refusal == nil) == takes, "\(lag) \(String(describing: cutOff))")
            #expect((distance.farewell == nil) == stays, "\(lag) \(String(describing: cutOff))")
        }
    }

    @Test(
        arguments: [
            (0, 0, false, true), (1, 0, false, false), (0, 1999, false, true), (0, 2000, false, false),
            (0, 0, true, false),
        ] as [(Int64, Int64, Bool, Bool)], [true, false])
    func `only a node that has all of a journal with a majority can say that a position is unknown`(
        _ place: (lag: Int64, unproved: Int64, isCatchingUp: Bool, knows: Bool), _ hearsOthers: Bool
    ) {
        var facts = NodeStanding.Facts()
        (facts.role, facts.hearsOthers) = (.following, hearsOthers)
        (facts.lagMilliseconds, facts.unprovedMilliseconds, facts.isCatchingUp) =
            (place.lag, place.unproved, place.isCatchingUp)
        let distance = NodeDistance(facts, readyMilliseconds: 5000, closeMilliseconds: 15_000)
        #expect(distance.knowsAllEntries == place.knows)
    }

    @Test
    func `while the journal chooses a leader nobody has a proof, and nodes that hear each other keep their sessions`() {
        var facts = NodeStanding.Facts()
        (facts.role, facts.unprovedMilliseconds) = (.leading, 60_000)
        let distance = NodeDistance(facts, readyMilliseconds: 5000, closeMilliseconds: 15_000)
        #expect(distance.refusal == nil && distance.farewell == nil && !distance.knowsAllEntries)
    }

    @Test func `a node that takes no part any more has no sessions`() {
        #expect(distance(.stopped).refusal != nil)
        #expect(distance(.stopped).farewell != nil)
        #expect(!distance(.stopped).knowsAllEntries)
    }
}
