package import Model

/// A connection's claim to be the only one of its user's device.
///
/// - Confinement: any
package struct DeviceClaim: Sendable, Hashable {
    package let device: DeviceKey
    package let address: ConnectionAddress
    /// The larger number belongs to the later claim, see ``ClaimNumbers``.
    package let number: Int64

    package init(device: DeviceKey, address: ConnectionAddress, number: Int64) {
        self.device = device
        self.address = address
        self.number = number
    }

    /// Whether this claim ends the connection that made `other`.
    package func supersedes(_ other: DeviceClaim) -> Bool {
        guard device == other.device, address != other.address else { return false }
        return number > other.number
    }
}

/// Claims to a device that are older than one with this number.
///
/// - Confinement: any
package struct OutdatedClaim: Sendable, Hashable {
    package let device: DeviceKey
    /// The larger number belongs to the later session of the device, on whatever node.
    package let number: Int64

    package init(device: DeviceKey, number: Int64) {
        self.device = device
        self.number = number
    }
}

/// One device of one user.
///
/// - Confinement: any
package struct DeviceKey: Sendable, Hashable {
    package let user: StreamID
    package let device: String

    package init(user: StreamID, device: String) {
        self.user = user
        self.device = device
    }
}
