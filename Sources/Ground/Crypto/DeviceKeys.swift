import COpenSSL

/// The keys to which messages for one device are sealed. The device made them, and sends them when it registers
/// (RFC 8291, section 2).
/// - Confinement: any
package struct DeviceKeys: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Why some bytes are not a device's keys.
    /// - Confinement: any
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// `p256dh` has this number of bytes.
        case pointLength(Int)
        /// `p256dh` begins with this byte: it is a point in another form.
        case pointForm(UInt8)
        /// OpenSSL refuses `p256dh`: the point is not on the curve.
        case pointRefused(TLSError)
        /// `auth` has this number of bytes.
        case secretLength(Int)

        /// The key in the contract: `p256dh` or `auth`.
        package var field: String {
            switch self {
            case .pointLength, .pointForm, .pointRefused: "p256dh"
            case .secretLength: "auth"
            }
        }

        /// A sentence for the sender of the keys: the field's name and the reason.
        package var description: String { "\(field) \(reason)" }

        /// The reason alone: the rest of a sentence that begins with the field's name.
        package var reason: String {
            switch self {
            case .pointLength(let count): "has \(count) bytes instead of \(KeyHandle.pointBytes)"
            case .pointForm(let byte): "begins with \(byte) instead of 4: it is not an uncompressed point"
            case .pointRefused(let error): "is not a point of P-256: \(error.reason)"
            case .secretLength(let count): "has \(count) bytes instead of \(DeviceKeys.secretBytes)"
            }
        }
    }

    /// The bytes of `auth`.
    package static let secretBytes = 16

    /// The device's public key `p256dh`: a point of P-256, 65 bytes that begin with 4.
    package let point: [UInt8]
    /// The secret `auth` that the device shares with us, so that a push service cannot make messages: 16 bytes.
    package let secret: [UInt8]

    /// Checks the keys of a device.
    /// - Throws: the first problem, with the field's name.
    package init(p256dh: [UInt8], auth: [UInt8]) throws(Problem) {
        guard p256dh.count == KeyHandle.pointBytes else { throw .pointLength(p256dh.count) }
        // OpenSSL would also take the form that begins with 6 or 7, which devices do not use.
        guard p256dh[0] == 4 else { throw .pointForm(p256dh[0]) }
        do throws(TLSError) {
            unsafe EVP_PKEY_free(try KeyHandle.publicP256(point: p256dh))
        } catch {
            throw .pointRefused(error)
        }
        guard auth.count == DeviceKeys.secretBytes else { throw .secretLength(auth.count) }
        point = p256dh
        secret = auth
    }

    /// The name of the type, without the secret.
    package var description: String { "DeviceKeys" }

    /// Hides the secret from `dump` and debuggers.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
