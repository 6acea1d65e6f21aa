/// One HTTP request to somebody else's server, with the bounds of what it may cost.
/// - Confinement: any
package struct OutboundRequest: Sendable, Hashable {
    /// What is asked for.
    /// - Confinement: any
    package enum Method: Sendable, Hashable {
        /// GET.
        case get
        /// POST with a body.
        case post([UInt8])
    }

    /// A header field.
    /// - Confinement: any
    package struct Field: Sendable, Hashable {
        /// As RFC 9110 has it: a token.
        package let name: String
        /// Without line breaks.
        package let value: String

        /// A field; whether it can be sent is found when it is.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Whether it is a field and not the beginning of another one, or of a body (RFC 9110, section 5).
        var isValid: Bool {
            !name.isEmpty && name.utf8.allSatisfy(Field.isToken)
                && value.utf8.allSatisfy { $0 == 9 || $0 >= 0x20 && $0 != 0x7f }
        }

        private static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }

    /// What is asked for.
    package var method = Method.get
    /// `https://…` or `http://…`, without a user in it.
    package var url: String
    /// Sent besides `Host`, `User-Agent` and what the body needs.
    package var fields: [Field]
    /// Time until the connection stands, TLS included.
    package var connectMilliseconds: Int
    /// Time until the answer is there, all in all.
    package var totalMilliseconds: Int
    /// Bytes of the answer's body; a longer one is refused as soon as that is known.
    package var answerBytesMax: Int

    /// A request with its bounds.
    package init(
        _ method: Method = .get,
        url: String,
        fields: [Field] = [],
        connectMilliseconds: Int,
        totalMilliseconds: Int,
        answerBytesMax: Int
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.connectMilliseconds = connectMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.answerBytesMax = answerBytesMax
    }
}

/// What a server answered. A redirect is an answer like any other: it is not followed.
/// - Confinement: any
package struct OutboundAnswer: Sendable, Hashable {
    /// The status code.
    package let status: Int
    /// Header fields, in their order.
    package let fields: [OutboundRequest.Field]
    /// All of the body, as it was sent: never unpacked.
    package let body: [UInt8]

    /// An answer, as it came, or as a test has it.
    package init(status: Int, fields: [OutboundRequest.Field], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A field's value, the first where there are several; the name's case does not matter.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }
}
