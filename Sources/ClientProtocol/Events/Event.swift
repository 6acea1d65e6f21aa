import JSON
import Model

/// The events of the contract, each encoded as one message (protocol.md, section 6).
///
/// An event of the log is the same bytes for everyone who gets it: encode once and share.
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

    /// An event of the moment.
    static func ephemeral(_ name: EventName, _ body: (inout JSONWriter) -> Void) -> EncodedEvent {
        assert(!name.isDurable, "\(name) needs its place in the log")
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", name.rawValue)
        body(&writer)
        writer.endObject()
        return EncodedEvent(name, json: writer.bytes)
    }
}
