import Client
import JSON
import Wire

/// The calls of the HTTP API that the scenarios need.
struct AdminCalls {
    let server: ServerAddress
    let token: String

    /// The kind of the notifications that recommendations cause. If the server has no trigger for them, it gets one.
    func recommendationKind() throws(LoadFailure) -> String {
        let answer = try perform("GET", "/v1/triggers")
        let triggers = answer["triggers"]?.arrayValue ?? answer.arrayValue ?? []
        for trigger in triggers where trigger["enabled"]?.boolValue != false {
            guard let path = trigger["path"]?.stringValue, path.hasPrefix("recommendations/"),
                trigger["event"] == "create", trigger["audience"] == "user:{after.to}",
                trigger["condition"]?.stringValue ?? "" == "", trigger["data"]?["recommendation"] != nil
            else { continue }
            return trigger["kind"]?.stringValue ?? trigger["name"]?.stringValue ?? ""
        }
        let name = "watchwise-load"
        let trigger: JSONValue = [
            "name": .string(name), "event": "create", "path": "recommendations/{recommendation}",
            "audience": "user:{after.to}", "kind": .string(name), "title": "{{after.from}} recommends",
            "body": "{{after.product.title}}", "data": ["recommendation": "{{recommendation}}"],
        ]
        _ = try perform("PUT", "/v1/triggers/\(name)", trigger)
        return name
    }

    /// Sends any request, to see whether the server answers.
    /// - Throws: when no server listens there.
    static func knock(at server: ServerAddress) throws {
        do {
            _ = try HTTPClient(server: server).perform(HTTPRequest(method: "GET", target: "/"))
        } catch {
            if case .connection = error { throw error }
        }
    }

    /// Makes one call.
    /// - Throws: when there is no answer, or the answer is not a success.
    func perform(_ method: String, _ target: String, _ body: JSONValue? = nil) throws(LoadFailure) -> JSONValue {
        var headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
        if body != nil { headers.append("Content-Type", "application/json") }
        let request = HTTPRequest(method: method, target: target, headers: headers, body: body?.bytes ?? [])
        let response: HTTPResponse
        do {
            response = try HTTPClient(server: server).perform(request)
        } catch {
            throw LoadFailure("\(server): \(error.description)")
        }
        guard (200..<300).contains(response.status) else {
            let detail = String(decoding: response.body.prefix(300), as: UTF8.self)
            throw LoadFailure("\(method) \(target) was answered with \(response.status): \(detail)")
        }
        return (try? JSONValue(parsing: response.body)) ?? .null
    }
}
