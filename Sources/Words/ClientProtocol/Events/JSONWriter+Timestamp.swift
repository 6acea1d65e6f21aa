package import JSON
package import Model

extension JSONWriter {
    /// A name and its time, without a string in between.
    package mutating func member(_ name: String, _ time: Timestamp) {
        self.name(name)
        string(plain: Timestamp.byteCount) { time.write(to: &$0) }
    }
}
