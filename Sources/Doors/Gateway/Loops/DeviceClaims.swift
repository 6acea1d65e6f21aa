import EventLoop
import Fanout
import ThreadMessages

/// Which session of one loop has each device. Of two sessions of one device, on whatever loops or nodes, the later one
/// stays.
///
/// - Confinement: loop
final class DeviceClaims {
    private let loops: [Mailbox<LoopMessage>]
    private let others: Mailbox<ClusterMessage>?
    private let claim: (Slot) -> DeviceClaim?
    private let replace: (ConnectionAddress) -> Void
    private let renew: (ConnectionAddress) -> Void
    private var slots: [DeviceKey: Slot] = [:]

    /// - Parameters:
    ///   - loops: the mailboxes of all loops.
    ///   - others: the way to the other nodes; nil when there are none.
    ///   - claim: the claim of the session in a slot.
    ///   - replace: ends a session whose device another has.
    ///   - renew: ends a session that must connect again.
    init(
        _ loops: [Mailbox<LoopMessage>], _ others: Mailbox<ClusterMessage>? = nil,
        claim: @escaping (Slot) -> DeviceClaim?,
        replace: @escaping (ConnectionAddress) -> Void,
        renew: @escaping (ConnectionAddress) -> Void = { _ in }
    ) {
        self.loops = loops
        self.others = others
        self.claim = claim
        self.replace = replace
        self.renew = renew
    }

    /// A session of this loop says which device it is.
    func add(_ claim: DeviceClaim) {
        if let held = held(of: claim.device), held.supersedes(claim) { return replace(claim.address) }
        apply(claim)
        slots[claim.device] = claim.address.slot
        for loop in loops { loop.post(.claimed(claim)) }
        tellOthers(claim)
    }

    /// A session that may have claimed its device ends.
    func remove(_ device: DeviceKey, by slot: Slot) {
        if slots[device] == slot { slots[device] = nil }
    }

    /// A session of this loop or another has said which device it is: the earlier one of the same device ends.
    func apply(_ claim: DeviceClaim) {
        guard let held = held(of: claim.device) else { return }
        if claim.supersedes(held) {
            remove(claim.device, by: held.address.slot)
            replace(held.address)
        } else if held.supersedes(claim) {
            // The other loop did not have that session yet when it heard of this one.
            loops[claim.address.loop].post(.claimed(held))
        }
    }

    /// A session of another node has said which device it is: the earlier one of the same device ends.
    func apply(_ claim: NodeClaim) {
        guard let held = held(of: claim.device) else { return }
        if claim.supersedes(held) {
            remove(claim.device, by: held.address.slot)
            replace(held.address)
        } else if claim.number == held.number {
            // The other node did not have that session yet when it heard of this one, or did not hear of it.
            tellOthers(held)
        } else {
            // Or its clock was set back, and its session is the later one: the number does not say which client is there.
            // So it connects again, and the one that does so has the device.
            others?.post(.signal(.outdated(OutdatedClaim(device: held.device, number: held.number))))
        }
    }

    /// Another node has a later claim to a device than that of this loop's session, if it has one: the session connects again. Then its number is the greater one, or the later session has the device.
    func apply(_ claim: OutdatedClaim) {
        guard let held = held(of: claim.device), held.number < claim.number else { return }
        renew(held.address)
    }

    private func tellOthers(_ claim: DeviceClaim) {
        others?.post(.signal(.claimed(claim.device, number: claim.number)))
    }

    private func held(of device: DeviceKey) -> DeviceClaim? { slots[device].flatMap(claim) }
}

@available(*, unavailable)
extension DeviceClaims: Sendable {}
