#if canImport(Darwin)
    import Foundation
    import Session
    import Synchronization

    /// The WebSocket of Apple platforms.
    ///
    /// It is not built on Linux, where this library is tested; the session's machine and its vectors are the same there.
    /// - Confinement: any
    final class SystemTransport: NSObject, SessionTransport, URLSessionWebSocketDelegate {
        private let address: URL
        private let inbox: TransportInbox
        private let connection = Mutex<(session: URLSession, task: URLSessionWebSocketTask, number: Int)?>(nil)

        init(_ server: String, into inbox: TransportInbox) throws {
            guard var parts = URLComponents(string: server), let scheme = parts.scheme?.lowercased(),
                let socketScheme = ["http": "ws", "https": "wss", "ws": "ws", "wss": "wss"][scheme], parts.host != nil
            else {
                throw WatchWiseError(
                    .permanent, "bad-request",
                    "'\(server)' is not a server address; write one such as https://chat.example.org",
                    field: "server")
            }
            parts.scheme = socketScheme
            parts.path = (parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path) + "/v1/ws"
            guard let address = parts.url else {
                throw WatchWiseError(.permanent, "bad-request", "'\(server)' is not a server address", field: "server")
            }
            self.address = address
            self.inbox = inbox
        }

        func open(_ number: Int) {
            abandon()
            let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
            let task = session.webSocketTask(with: address, protocols: ["watchwise.v1"])
            task.maximumMessageSize = 16 << 20
            connection.withLock { $0 = (session, task, number) }
            task.resume()
            receive(on: task)
        }

        func send(_ message: [UInt8]) {
            guard let task = connection.withLock({ $0?.task }) else { return }
            task.send(.string(String(decoding: message, as: UTF8.self))) { [weak self] error in
                if let error { self?.end(task, .lost(error.localizedDescription)) }
            }
        }

        func close(code: UInt16) {
            guard let task = connection.withLock({ $0?.task }) else { return }
            task.cancel(with: URLSessionWebSocketTask.CloseCode(rawValue: Int(code)) ?? .normalClosure, reason: nil)
            end(task, .lost(nil))
        }

        func shutDown() { abandon() }

        private func abandon() {
            let old = connection.withLock { connection in
                defer { connection = nil }
                return connection
            }
            old?.session.invalidateAndCancel()
        }

        private func receive(on task: URLSessionWebSocketTask) {
            task.receive { [weak self] result in
                guard let self, let number = self.number(of: task) else { return }
                switch result {
                case .success(.string(let text)): inbox.post(.received(Array(text.utf8)), of: number)
                case .success: inbox.post(.heard, of: number)
                case .failure(let error): return end(task, Self.end(of: task, error))
                }
                receive(on: task)
            }
        }

        /// Why a task failed: the close frame, the answer to the upgrade, TLS, or the network.
        private static func end(of task: URLSessionWebSocketTask, _ error: any Error) -> TransportEnd {
            if task.closeCode != .invalid {
                let reason = task.closeReason.map { String(decoding: $0, as: UTF8.self) } ?? ""
                return .closed(code: UInt16(task.closeCode.rawValue), reason: reason)
            }
            if let answer = task.response as? HTTPURLResponse, answer.statusCode != 101 {
                return .refused(status: answer.statusCode)
            }
            let certificates: Set<URLError.Code> = [
                .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
                .serverCertificateNotYetValid,
            ]
            if let error = error as? URLError,
                error.code == .secureConnectionFailed || certificates.contains(error.code)
            {
                return .encryption(error.localizedDescription, isCertificate: certificates.contains(error.code))
            }
            return .lost(error.localizedDescription)
        }

        /// The number of a connection; nil when it is not the present one.
        private func number(of task: URLSessionWebSocketTask) -> Int? {
            connection.withLock { $0?.task === task ? $0?.number : nil }
        }

        private func end(_ task: URLSessionWebSocketTask, _ end: TransportEnd) {
            let ended = connection.withLock { connection in
                guard connection?.task === task else { return nil as (session: URLSession, number: Int)? }
                defer { connection = nil }
                return connection.map { ($0.session, $0.number) }
            }
            guard let ended else { return }
            ended.session.invalidateAndCancel()
            inbox.post(.ended(end), of: ended.number)
        }

        func urlSession(
            _ session: URLSession, webSocketTask task: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
        ) {
            if let number = number(of: task) { inbox.post(.opened, of: number) }
        }
    }
#endif
