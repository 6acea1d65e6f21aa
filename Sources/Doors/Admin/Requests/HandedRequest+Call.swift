import ClientProtocol
import Model
package import Store
package import ThreadMessages
import Wire

// A request that writes, on its way to another node.
extension HandedRequest {
    /// The fields that a request's meaning depends on. The name of the host and the page's origin are not among them: the
    /// client's node has checked them.
    private static let fieldNames = Set(
        (["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", TriggerChain.headerName]
            + PlainPublication.fieldNames).map { $0.lowercased() })

    /// Fields of the audit, which no client's field becomes.
    private static let (idName, clientName, outcomeName, leftOutName) = (
        "watchwise-request", "watchwise-client", "watchwise-outcome", "watchwise-left-out"
    )
    /// A longer body is left out of a request that is only to be noted.
    private static let notedBytesMax = 16_384

    package init(_ call: HTTPCall) { self.init(call, body: call.body, []) }

    /// A request that is only to be put into the audit.
    ///
    /// - Parameters:
    ///   - outcome: how it ended.
    ///   - leftOut: refusals of the same user that got no row.
    package init(_ call: HTTPCall, noting outcome: AuditOutcome, leftOut: Int = 0) {
        self.init(
            call, body: call.body.count <= Self.notedBytesMax ? call.body : [],
            [(Self.outcomeName, outcome.text), (Self.leftOutName, leftOut > 0 ? "\(leftOut)" : "")])
    }

    private init(_ call: HTTPCall, body: [UInt8], _ further: [(name: String, value: String)]) {
        let fields = call.head.headers.fields.filter { Self.fieldNames.contains($0.name.lowercased()) }
        let added = [(Self.idName, call.id), (Self.clientName, call.client)] + further
        self.init(
            method: call.head.method, target: call.head.target.text,
            fields: fields.map { Field(name: $0.name, value: $0.value) }
                + added.filter { !$0.1.isEmpty }.map { Field(name: $0.0, value: $0.1) },
            body: body)
    }

    /// How the request ended, where it is only to be put into the audit; nil where it is to be done.
    package var outcome: AuditOutcome? {
        value(Self.outcomeName).map { $0 == AuditOutcome.done.text ? .done : .refused($0) }
    }

    /// Refusals of the same user that got no row on the node of the client.
    package var leftOut: Int { value(Self.leftOutName).flatMap { Int($0) }.map { min(max(0, $0), 1_000_000_000) } ?? 0 }

    private func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The request as it is when it comes from its client; nil when that would not be a request.
    package var call: HTTPCall? {
        // HTTP/1.0 knows requests without the name of a host.
        var text = "\(method) \(target) HTTP/1.0\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        text += "\r\n"
        var parser = HTTPRequestParser()
        var events: [HTTPRequestEvent] = []
        parser.receive(Array(text.utf8), into: &events)
        guard events.count == 2, case .head(let head) = events[0], events[1] == .end else { return nil }
        var call = HTTPCall(head: head)
        call.body = body
        call.id = value(Self.idName) ?? ""
        call.client = value(Self.clientName) ?? ""
        return call
    }
}
