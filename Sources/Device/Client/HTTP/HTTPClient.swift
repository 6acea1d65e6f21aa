import EventLoop
package import Wire

/// Requests for programs without a loop of their own: each call blocks until the answer is there.
/// - Confinement: any thread that runs no loop
package struct HTTPClient: Sendable {
    /// The server that it asks.
    package let server: ServerAddress
    /// The time for one complete exchange.
    package var timeoutMilliseconds: Int64

    /// A client of one server.
    package init(server: ServerAddress, timeoutMilliseconds: Int64 = 30_000) {
        self.server = server
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Sends a request and waits for the answer.
    /// - Parameter receiveBody: Gets the answer's body piece by piece; then the answer itself has none.
    /// - Throws: when there is no answer; an error status is an answer.
    package func perform(
        _ request: HTTPRequest,
        receiveBody: (([UInt8]) -> Void)? = nil
    ) throws(HTTPFailure) -> HTTPResponse {
        let loop: Loop
        do {
            loop = try Loop()
        } catch {
            throw .connection(error)
        }
        var outcome = Result<HTTPResponse, HTTPFailure>.failure(.ended)
        let connection = HTTPConnection(on: loop, to: server)
        connection.perform(request, timeoutMilliseconds: timeoutMilliseconds, receiveBody: receiveBody) {
            outcome = $0
            connection.close()
            loop.stop()
        }
        loop.run()
        return try outcome.get()
    }
}
