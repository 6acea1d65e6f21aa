package import Model

/// A message of this node's threads for the other nodes, besides writes.
///
/// - Confinement: any
package enum OwnSignal: Sendable {
    /// A session of a user began on a loop.
    case arrived(Person)
    /// A session of a user ended.
    case left(Person)
    /// An event outside of the log, for the sessions of these inboxes.
    case ephemeral([StreamID], EncodedEvent)
    /// A device has connected; an older connection of the same device ends, on whatever node.
    case claimed(DeviceKey, number: Int64)
    /// A session of another node has claimed its device with a smaller number than a session here.
    case outdated(OutdatedClaim)
    /// The sender of pushes asks who looks on other nodes. It gets one ``PushMessage/lookedElsewhere(number:_:)``.
    case looking(PushQuestion)
    /// A loop's answer to the question of another node.
    case looked(PushLooking)
}

/// The claim of a connection on another node to be the only one of its device.
///
/// - Confinement: any
package struct NodeClaim: Sendable, Hashable {
    package let device: DeviceKey
    package let number: Int64
    /// Whether the claim wins against one of this node with the same number: the names of the nodes decide.
    package let winsTies: Bool

    package init(device: DeviceKey, number: Int64, winsTies: Bool) {
        self.device = device
        self.number = number
        self.winsTies = winsTies
    }

    /// Whether this claim ends the connection of this node that made `other`.
    package func supersedes(_ other: DeviceClaim) -> Bool {
        guard device == other.device else { return false }
        return number > other.number || winsTies && number == other.number
    }
}

/// A user came online on the other nodes, taken together, or went offline there.
///
/// - Confinement: any
package struct PresenceElsewhere: Sendable, Hashable {
    package let person: Person
    package let isOnline: Bool
    package let at: Timestamp

    package init(_ person: Person, isOnline: Bool, at: Timestamp) {
        self.person = person
        self.isOnline = isOnline
        self.at = at
    }
}
