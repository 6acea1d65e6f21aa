package import ClientProtocol
package import JSON
package import Wire

/// An answer of the HTTP API.
///
/// - Confinement: any
package enum AdminAnswer: Sendable {
    case done(JSONValue)
    case refused(Refusal)
    /// An answer that our server does not give: its status and its beginning.
    case strange(status: Int, start: String)

    /// Reads an answer.
    package init(_ response: HTTPResponse) {
        let json = try? JSONValue(parsing: response.body, depthMax: 32)
        switch (response.status, json) {
        case (200...299, let json?): self = .done(json)
        case (let status, let json):
            if let refusal = json.flatMap(Refusal.init) {
                self = .refused(refusal)
            } else {
                let start = String(decoding: response.body.prefix(120), as: UTF8.self)
                self = .strange(status: status, start: start)
            }
        }
    }
}
