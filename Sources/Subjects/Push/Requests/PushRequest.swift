/// One POST to a push service, ready to be sent.
///
/// - Confinement: any
package struct PushRequest: Sendable, Hashable {
    /// A header field.
    ///
    /// - Confinement: any
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package let url: String
    /// In the order in which they are sent.
    package let fields: [Field]
    package let body: [UInt8]
    /// The removed entries that this push names. When it was sent, they need not be named again.
    package let gone: [PushTag]

    /// The value of a field by its exact name.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Encrypts a push for one device (RFC 8291) and returns the body of RFC 8188.
package typealias PushSealing = ([UInt8]) throws -> [UInt8]

/// The privacy of one push, with what it needs.
///
/// - Confinement: any
package enum PushCover {
    case full
    case hidden
    case sealed(PushSealing)
}
