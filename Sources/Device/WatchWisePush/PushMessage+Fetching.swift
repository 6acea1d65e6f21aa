import Foundation
import JSON

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension PushMessage {
    /// Asks the server for the notification of a hidden push. A message of a chat is not fetched: the generic text says that
    /// there is one, and the application has it when it opens.
    ///
    /// - Parameters:
    ///   - server: The server's address, `https://watchwise.example.org`. Without TLS it must be of this machine.
    ///   - token: A token of the user, which goes to this address alone: no redirection is followed.
    ///   - seconds: The longest time. An extension has 30 seconds, then the system shows the generic text.
    /// - Returns: this push with the content of the notification; the push itself when it is not hidden, or is of a message.
    /// - Throws: ``PushError/notFetched(_:)``.
    public func fetched(from server: String, token: String, within seconds: Double = 20) async throws(PushError)
        -> PushMessage
    {
        guard isHidden, let id, id.hasPrefix("n") else { return self }
        guard let url = URL(string: server)?.appending(path: "v1/commands") else {
            throw .notFetched("\(server) is no address")
        }
        guard url.scheme == "https" || url.scheme == "http" && ["127.0.0.1", "::1", "localhost"].contains(url.host)
        else {
            throw .notFetched("\(server) has no TLS, and would show the token to others; it must begin with https")
        }
        var request = URLRequest(url: url, timeoutInterval: seconds)
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(JSONValue.object(["type": "notification", "notification": .string(id)]).bytes)
        let session = URLSession(configuration: .ephemeral, delegate: NoRedirection(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let answer: Data
        do {
            answer = try await session.data(for: request).0
        } catch {
            throw .notFetched(error.localizedDescription)
        }
        guard let reply = try? JSONValue(parsing: Array(answer)) else {
            throw .notFetched("the answer is no JSON object")
        }
        guard let notification = reply["ok"]?.objectValue else {
            let error = reply["error"] ?? reply
            throw .notFetched(error["message"]?.stringValue ?? "the server gave no reason")
        }
        return PushMessage(notification, of: self)
    }
}

/// Follows no redirection: the token is for one address.
///
/// - Confinement: any
private final class NoRedirection: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
