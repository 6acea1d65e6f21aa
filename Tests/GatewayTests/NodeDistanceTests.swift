import Telemetry
import Testing
@testable import Gateway

/// When a node of several takes sessions, and when those that it has are to go.
@Suite struct NodeDistanceTests {
    private func distance(
        _ role: NodeStanding.Role = .following, lag: Int64 = 0, cutOff: Int64? = nil
    ) -> NodeDistance {
        var facts = NodeStanding.Facts()
        facts.role = role
        facts.lagMilliseconds = lag
        facts.cutOffMilliseconds = cutOff
        return NodeDistance(facts, readyMilliseconds: 5000, closeMilliseconds: 15_000)
    }

    @Test(arguments: [.alone, .following, .leading] as [NodeStanding.Role])
    func `the bounds themselves are not passed`(_ role: NodeStanding.Role) {
        for (lag, cutOff, takes, stays) in [
            (0, nil, true, true), (5000, nil, true, true), (5001, nil, false, true), (15_000, nil, false, true),
            (15_001, nil, false, false), (0, 14_999, true, true), (0, 15_000, false, false),
        ] as [(Int64, Int64?, Bool, Bool)] {
            let distance = distance(role, lag: lag, cutOff: cutOff)
            #expect(distance.takesSessions == takes, "\(lag) \(String(describing: cutOff))")
            #expect((distance.farewell == nil) == stays, "\(lag) \(String(describing: cutOff))")
        }
    }

    @Test func `a node that takes no part any more has no sessions`() {
        #expect(!distance(.stopped).takesSessions)
        #expect(distance(.stopped).farewell != nil)
    }
}
