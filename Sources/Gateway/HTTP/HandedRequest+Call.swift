import ClientProtocol
import Mail
import Model
import Wire

// A request that writes, on its way to another node.
extension HandedRequest {
    /// The fields that a request's meaning depends on. The name of the host and the page's origin are not among them: the
    /// client's node has checked them.
    private static let fieldNames = Set(
        (["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", TriggerChain.headerName]
            + PlainPublication.fieldNames).map { $0.lowercased() })

    init(_ call: HTTPCall) {
        let fields = call.head.headers.fields.filter { Self.fieldNames.contains($0.name.lowercased()) }
        self.init(
            method: call.head.method, target: call.head.target.text,
            fields: fields.map { Field(name: $0.name, value: $0.value) }, body: call.body)
    }

    /// The request as it is when it comes from its client; nil when that would not be a request.
    var call: HTTPCall? {
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
        return call
    }
}
