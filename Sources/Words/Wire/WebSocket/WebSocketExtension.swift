/// One member of `Sec-WebSocket-Extensions`: an offer or its acceptance (RFC 6455 section 9.1).
///
/// - Confinement: any
package struct WebSocketExtension: Sendable, Hashable {
    /// `name` or `name=value`, the value without its quotes.
    package struct Parameter: Sendable, Hashable {
        /// A token.
        package let name: String
        /// A token, or nil.
        package let value: String?
    }

    /// A token such as `permessage-deflate`.
    package let name: String
    /// The parameters in order.
    package let parameters: [Parameter]

    /// The members of all lines of the header, in the order of preference, or nil if they are malformed.
    package static func parse(_ headers: HTTPHeaders) -> [WebSocketExtension]? {
        var members: [WebSocketExtension] = []
        for member in headers.list("Sec-WebSocket-Extensions") {
            let parts = member.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
            guard let name = parts.first, isToken(name) else { return nil }
            var parameters: [Parameter] = []
            for part in parts.dropFirst() {
                guard let parameter = parameter(part) else { return nil }
                parameters.append(parameter)
            }
            members.append(WebSocketExtension(name: name, parameters: parameters))
        }
        return members
    }

    /// A quoted value must be a token inside of its quotes, so that it cannot contain commas or semicolons.
    private static func parameter(_ text: String) -> Parameter? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
        guard let name = parts.first, isToken(name) else { return nil }
        guard parts.count == 2 else { return Parameter(name: name, value: nil) }
        var value = parts[1]
        if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
            value = String(value.dropFirst().dropLast())
        }
        return isToken(value) ? Parameter(name: name, value: value) : nil
    }

    private static func trimmed(_ text: Substring) -> String {
        HTTPSyntax.text(HTTPSyntax.trimmed(Array(text.utf8)[...]))
    }

    private static func isToken(_ text: String) -> Bool {
        HTTPSyntax.isToken(Array(text.utf8))
    }
}
