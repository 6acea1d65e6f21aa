import EventLoop

/// An address to listen on, as an operator writes it.
///
/// - Confinement: any
enum ListenAddress {
    /// `127.0.0.1:8080` for `localhost:8080`, `0.0.0.0:8080` for `:8080`, and an address as it is; nil for another text.
    static func read(_ text: String) -> String? {
        let address =
            text.hasPrefix(":")
            ? "0.0.0.0" + text
            : text.hasPrefix("localhost:") ? "127.0.0.1" + text.dropFirst("localhost".count) : text
        return (try? SocketAddress(address)) == nil ? nil : address
    }
}
