import JSON
package import Model

/// An event as the log holds it: the JSON in which it went out, and in no other form. So its name is read from there.
///
/// - Confinement: any
package enum StoredEvent {
    /// The name of an event; nil when it bears none that this version knows.
    ///
    /// Little is read: the name stands second, after the position.
    package static func name(of json: [UInt8]) -> EventName? {
        var reader = JSONReader(json)
        do throws(JSONError) {
            try reader.beginObject()
            while let name = try reader.nextName() {
                if name == "type" { return EventName(rawValue: try reader.string()) }
                _ = try reader.skip()
            }
            return nil
        } catch {
            return nil
        }
    }

    /// The same for an event as the log gives it.
    package static func name(of json: String) -> EventName? { name(of: Array(json.utf8)) }
}
