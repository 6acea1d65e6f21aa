import ClientProtocol
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
            #expect((distance.refusal == nil) == takes, "\(lag) \(String(describing: cutOff))")
            #expect((distance.farewell == nil) == stays, "\(lag) \(String(describing: cutOff))")
        }
    }

    @Test(
        arguments: [
            (0, nil, false, true), (1, nil, false, false), (0, 1, false, false), (0, nil, true, false),
        ] as [(Int64, Int64?, Bool, Bool)])
    func `only a node without any lag can say that a position is unknown`(
        _ lag: Int64, _ cutOff: Int64?, _ isCatchingUp: Bool, _ knows: Bool
    ) {
        var facts = NodeStanding.Facts()
        facts.role = .following
        (facts.lagMilliseconds, facts.cutOffMilliseconds, facts.isCatchingUp) = (lag, cutOff, isCatchingUp)
        let distance = NodeDistance(facts, readyMilliseconds: 5000, closeMilliseconds: 15_000)
        #expect(distance.knowsAllEntries == knows)
        facts.hearsOthers = false
        let alone = NodeDistance(facts, readyMilliseconds: 5000, closeMilliseconds: 15_000)
        #expect(!alone.knowsAllEntries)
    }

    @Test(arguments: [(1999, true), (14_999, true), (15_000, false)] as [(Int64, Bool)])
    func `a node that is cut off together with its journal server takes no sessions, and ends its own after 15 s`(
        _ milliseconds: Int64, _ stays: Bool
    ) {
        var facts = NodeStanding.Facts()
        facts.role = .leading
        facts.isolatedMilliseconds = milliseconds
        let distance = NodeDistance(facts, readyMilliseconds: 5000, closeMilliseconds: 15_000)
        #expect(distance.refusal != nil && !distance.knowsAllEntries)
        #expect((distance.farewell == nil) == stays)
    }

    @Test func `a standby has no sessions, and names its primary`() {
        var facts = NodeStanding.Facts()
        facts.role = .following
        facts.primary = "http://10.0.0.1:8080"
        let distance = NodeDistance(facts, readyMilliseconds: 5000, closeMilliseconds: 15_000)
        #expect(distance.refusal?.message.contains("http://10.0.0.1:8080") == true)
        #expect(distance.refusal?.code == .unavailable)
    }

    @Test func `a node that takes no part any more has no sessions`() {
        #expect(distance(.stopped).refusal != nil)
        #expect(distance(.stopped).farewell != nil)
        #expect(!distance(.stopped).knowsAllEntries)
    }
}
