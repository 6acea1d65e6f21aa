import Fanout
import Mail
import Model
import Testing
@testable import Gateway

/// Which of two sessions of one device stays.
@Suite struct DeviceClaimsTests {
    /// The sessions of a loop, as their claims alone.
    private final class Sessions {
        var claims: [Slot: DeviceClaim] = [:]
        var replaced: [ConnectionAddress] = []

        func claim(_ device: String, of user: Int64 = 7, slot: Slot, number: Int64) -> DeviceClaim {
            let address = ConnectionAddress(loop: 0, slot: slot, generation: 1)
            let claim = DeviceClaim(
                device: DeviceKey(user: StreamID(stored: user), device: device), address: address, number: number)
            claims[slot] = claim
            return claim
        }
    }

    private let sessions = Sessions()

    private func devices() -> DeviceClaims {
        DeviceClaims(
            [], claim: { [sessions] in sessions.claims[$0] }, replace: { [sessions] in sessions.replaced.append($0) })
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
}
