#if os(Linux)
    import Client
    import EventLoop
    import Session
    import Wire

    /// The WebSocket of Linux: our own client on a thread with an event loop. The system's URLSession has none there.
    /// - Confinement: any
    final class LoopTransport: SessionTransport {
        private enum Order: Sendable {
            case open(Int)
            case send([UInt8])
            case close(UInt16)
            case end
        }

        private let orders: Mailbox<Order>
        private let thread: LoopThread

        /// Starts the thread.
        /// - Parameter server: An address such as `https://chat.example.org`; looking up its host blocks.
        /// - Throws: ``WatchWiseError`` for an address that is not valid; the system's error when there is no thread.
        init(_ server: String, into inbox: TransportInbox) throws {
            let address: ServerAddress
            do {
                address = try ServerAddress(server)
            } catch {
                throw WatchWiseError(.permanent, "bad-request", "\(error)", field: "server")
            }
            (thread, orders) = try LoopThread.start(named: "watchwise-sdk") { loop in
                let connections = LoopConnections(on: loop, to: address, into: inbox)
                return try Mailbox<Order>(on: loop) { [unowned loop] orders in
                    for order in orders {
                        switch order {
                        case .open(let number): connections.open(number)
                        case .send(let message): connections.send(message)
                        case .close(let code): connections.close(code)
                        case .end:
                            connections.abandon()
                            loop.stop()
                        }
                    }
                }
            }
        }

        func open(_ number: Int) { orders.post(.open(number)) }
        func send(_ message: [UInt8]) { orders.post(.send(message)) }
        func close(code: UInt16) { orders.post(.close(code)) }
        func shutDown() { orders.post(.end) }
    }

    /// The connections of a transport, one after the other.
    /// - Confinement: loop
    private final class LoopConnections: WebSocketClientDelegate {
        private let loop: Loop
        private let endpoint: WebSocketClient.Endpoint
        private let inbox: TransportInbox
        private var socket: WebSocketClient?
        private var number = 0

        init(on loop: Loop, to address: ServerAddress, into inbox: TransportInbox) {
            self.loop = loop
            self.inbox = inbox
            var endpoint = WebSocketClient.Endpoint(
                server: address, target: ClientSession.target, compression: PerMessageDeflateOffer())
            endpoint.subprotocols = [ClientSession.subprotocol]
            self.endpoint = endpoint
        }

        func open(_ number: Int) {
            abandon()
            self.number = number
            do {
                socket = try WebSocketClient.connect(on: loop, to: endpoint, delegate: self)
            } catch {
                inbox.post(.ended(.lost(error.message)), of: number)
            }
        }

        func send(_ message: [UInt8]) { socket?.send(text: message) }
        func close(_ code: UInt16) { socket?.close(code: code) }

        func abandon() {
            socket?.abort()
            socket = nil
        }

        func opened(_ socket: WebSocketClient) { if socket === self.socket { inbox.post(.opened, of: number) } }
        func received(text: [UInt8], on socket: WebSocketClient) {
            if socket === self.socket { inbox.post(.received(text), of: number) }
        }
        func heard(on socket: WebSocketClient) { if socket === self.socket { inbox.post(.heard, of: number) } }
        func ended(_ socket: WebSocketClient, _ end: TransportEnd) {
            guard socket === self.socket else { return }
            self.socket = nil
            inbox.post(.ended(end), of: number)
        }
    }
#endif
