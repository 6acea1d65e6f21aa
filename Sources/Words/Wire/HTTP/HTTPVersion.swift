/// The supported versions of HTTP.
///
/// - Confinement: any
package enum HTTPVersion: Sendable, Hashable {
    case http10, http11

    init?(_ bytes: ArraySlice<UInt8>) {
        if bytes.elementsEqual("HTTP/1.1".utf8) {
            self = .http11
        } else if bytes.elementsEqual("HTTP/1.0".utf8) {
            self = .http10
        } else {
            return nil
        }
    }
}
