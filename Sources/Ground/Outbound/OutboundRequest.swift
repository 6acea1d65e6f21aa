import Model

/// One HTTP request to another server, with bounds on its cost.
/// - Confinement: any
package struct OutboundRequest: Sendable, Hashable {
    /// The method of a request.
    /// - Confinement: any
    package enum Method: Sendable, Hashable {
        /// GET.
        case get
        /// POST with a body.
        case post([UInt8])
    }

    /// A version of HTTP.
    /// - Confinement: any
    package enum Version: Sendable, Hashable {
        /// HTTP/1.1: one request at a time on a connection.
        case one
        /// HTTP/2: many requests at once on a connection.
        case two
    }

    /// A header field.
    /// - Confinement: any
    package struct Field: Sendable, Hashable {
        /// A token as defined by RFC 9110.
        package let name: String
        /// Without line breaks.
        package let value: String

        /// Makes a field; whether it is valid is checked when it is sent.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Whether it is a single field, so that it cannot begin another field or a body (RFC 9110, section 5).
        var isValid: Bool {
            !name.isEmpty
                && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
                && value.utf8.allSatisfy { $0 == 9 || $0 >= 0x20 && $0 != 0x7f }
        }
    }

    /// The method of a request.
    package var method = Method.get
    /// `https://…` or `http://…`, without user information.
    package var url: String
    /// Sent in addition to `Host`, `User-Agent` and the fields of the body.
    package var fields: [Field]
    /// The highest version to use. HTTP/2 is used with a server that chooses it in the TLS handshake; all others get
    /// HTTP/1.1.
    package var version: Version
    /// Time until the connection is open, including TLS. It counts from the moment when this request begins to
    /// connect, and not while the request waits for a connection that another one opens, or for a free stream.
    package var connectMilliseconds: Int
    /// Time until the answer is complete, counted from the start, with all waiting.
    package var totalMilliseconds: Int
    /// The largest body of the answer, in bytes; a larger one is refused as soon as its size is known.
    package var answerBytesMax: Int

    /// Makes a request with its bounds.
    package init(
        _ method: Method = .get,
        url: String,
        fields: [Field] = [],
        version: Version = .one,
        connectMilliseconds: Int,
        totalMilliseconds: Int,
        answerBytesMax: Int
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.version = version
        self.connectMilliseconds = connectMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.answerBytesMax = answerBytesMax
    }
}

/// The answer of a server. A redirect is a normal answer: it is not followed.
/// - Confinement: any
package struct OutboundAnswer: Sendable, Hashable {
    /// The status code.
    package let status: Int
    /// Header fields, in their order.
    package let fields: [OutboundRequest.Field]
    /// The whole body as it was sent, never decompressed.
    package let body: [UInt8]
    /// The version of HTTP that the server spoke.
    package var version = OutboundRequest.Version.one

    /// The value of a field, the first one if there are several; the case of the name does not matter.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }
}
