/// One event of the contract as it goes over the wire, with its name beside it, so that nobody looks for it in the JSON.
///
/// - Confinement: any
package struct EncodedEvent: Sendable, Hashable {
    package let name: EventName
    /// The JSON of an object.
    package let json: [UInt8]

    package init(_ name: EventName, json: [UInt8]) {
        self.name = name
        self.json = json
    }
}
