import JSON
import Model

/// The events of the protocol, each encoded as one message (see Events.md).
///
/// An event of the log has the same bytes for every receiver: encode it once and share it.
///
/// - Confinement: any
package enum Event {
    /// An event with a place in the log: `seq` first, then `type`.
    static func durable(_ seq: Position, _ name: EventName, _ body: (inout JSONWriter) -> Void) -> EncodedEvent {
        assert(name.isDurable, "\(name) has no place in the log")
        var writer = JSONWriter(capacity: 384)
        writer.beginObject()
        writer.member("seq", seq.value)
        writer.member("type", name.rawValue)
        body(&writer)
        writer.endObject()
        return EncodedEvent(name, json: writer.bytes)
    }

    /// An event outside of the log.
    static func ephemeral(_ name: EventName, _ body: (inout JSONWriter) -> Void) -> EncodedEvent {
        assert(!name.isDurable, "\(name) needs its place in the log")
        return unlogged(name, body)
    }

    /// An event without a place in the log; also one whose name has a place there otherwise.
    static func unlogged(_ name: EventName, _ body: (inout JSONWriter) -> Void) -> EncodedEvent {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", name.rawValue)
        body(&writer)
        writer.endObject()
        return EncodedEvent(name, json: writer.bytes)
    }
}
