import EventLoop
import Fanout
import Model
import Testing
import ThreadMessages
@testable import Gateway

/// Which of two sessions of one device stays.
@Suite struct DeviceClaimsTests {
    /// The sessions of a loop, as their claims alone.
    private final class Sessions {
        var claims: [Slot: DeviceClaim] = [:]
        var replaced: [ConnectionAddress] = []
        var renewed: [ConnectionAddress] = []

        func claim(_ device: String, of user: Int64 = 7, slot: Slot, number: Int64) -> DeviceClaim {
            let address = ConnectionAddress(loop: 0, slot: slot, generation: 1)
            let claim = DeviceClaim(
                device: DeviceKey(user: StreamID(stored: user), device: device), address: address, number: number)
            claims[slot] = claim
            return claim
        }
    }

    private let sessions = Sessions()

    private func devices(_ others: Mailbox<ClusterMessage>? = nil) -> DeviceClaims {
        DeviceClaims(
            [], others, claim: { [sessions] in sessions.claims[$0] },
            replace: { [sessions] in sessions.replaced.append($0) },
            renew: { [sessions] in sessions.renewed.append($0) })
    }

    @Test func `the later session of a device replaces the earlier one`() {
        let devices = devices()
        let first = sessions.claim("phone", slot: 1, number: 1)
        devices.add(first)
        devices.add(sessions.claim("phone", slot: 2, number: 2))
        #expect(sessions.replaced == [first.address])
        let late = sessions.claim("phone", slot: 3, number: 0)
        devices.add(late)
        #expect(sessions.replaced == [first.address, late.address])
    }

    @Test func `other devices, and the same name of another user, stay`() {
        let devices = devices()
        for slot in Slot(0)..<100 {
            devices.add(sessions.claim("phone-\(slot % 10)", of: Int64(slot / 10), slot: slot, number: Int64(slot)))
        }
        #expect(sessions.replaced.isEmpty)
        devices.apply(
            DeviceClaim(
                device: DeviceKey(user: StreamID(stored: 4), device: "phone-2"),
                address: ConnectionAddress(loop: 1, slot: 0, generation: 1), number: 1000))
        #expect(sessions.replaced.map(\.slot) == [42])
    }

    @Test func `a session that has ended is not replaced`() {
        let devices = devices()
        let first = sessions.claim("phone", slot: 1, number: 1)
        devices.add(first)
        devices.remove(first.device, by: 2)
        devices.remove(first.device, by: 1)
        devices.add(sessions.claim("phone", slot: 2, number: 2))
        #expect(sessions.replaced.isEmpty)
    }

    @Test func `the later session of a device stays, whichever node hears first of the other's`() {
        for (own, other) in [(Int64(5), Int64(9)), (9, 5)] {
            sessions.replaced = []
            let claims = devices()
            let held = sessions.claim("phone", slot: 1, number: own)
            claims.add(held)
            claims.apply(NodeClaim(device: held.device, number: other, winsTies: false))
            #expect(sessions.replaced == (own > other ? [] : [held.address]))
        }
    }

    @Test
    func `when two nodes claim a device with one number, one session ends, and the winning node repeats its claim`()
        throws
    {
        let stage = LoopStage()
        defer { stage.abandon() }
        let cluster = Mailbox<ClusterMessage>()
        var said: [Int64] = []
        var outdated: [Int64] = []
        let loop = try stage.makeLoop()
        try cluster.open(
            taking: { batch in
                for case .signal(.claimed(_, let number)) in batch { said.append(number) }
                for case .signal(.outdated(let claim)) in batch { outdated.append(claim.number) }
                batch.removeAll()
            }, on: loop)
        let devices = devices(cluster)
        let held = sessions.claim("phone", slot: 1, number: 7)
        devices.add(held)
        devices.apply(NodeClaim(device: held.device, number: 7, winsTies: false))
        devices.apply(NodeClaim(device: held.device, number: 6, winsTies: true))
        loop.turn()
        #expect(said == [7, 7] && outdated == [7] && sessions.replaced.isEmpty)
        devices.apply(NodeClaim(device: held.device, number: 7, winsTies: true))
        loop.turn()
        #expect(said == [7, 7] && outdated == [7] && sessions.replaced == [held.address])
    }

    @Test func `a session whose number is older than one that is known connects again`() {
        let devices = devices()
        let held = sessions.claim("phone", slot: 1, number: 7)
        devices.add(held)
        for number in [Int64(6), 7] { devices.apply(OutdatedClaim(device: held.device, number: number)) }
        devices.apply(OutdatedClaim(device: DeviceKey(user: held.device.user, device: "tablet"), number: 8))
        #expect(sessions.renewed.isEmpty)
        devices.apply(OutdatedClaim(device: held.device, number: 8))
        #expect(sessions.renewed == [held.address] && sessions.replaced.isEmpty)
    }
}
