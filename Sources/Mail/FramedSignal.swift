import Wire

/// A message outside of the log, with its WebSocket frame: encoded and framed once for all receivers.
///
/// - Confinement: any
package struct FramedSignal: Sendable {
    package let json: [UInt8]
    package let frame: [UInt8]

    package init(_ json: [UInt8]) {
        self.json = json
        frame = FrameEncoder.text(json)
    }
}
