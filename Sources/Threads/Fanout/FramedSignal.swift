package import Model
import Wire

/// A message outside of the log, with its WebSocket frame: encoded and framed once for all receivers.
///
/// - Confinement: any
package struct FramedSignal: Sendable {
    package let event: EncodedEvent
    package let frame: [UInt8]

    package init(_ event: EncodedEvent) {
        self.event = event
        frame = FrameEncoder.text(event.json)
    }
}
