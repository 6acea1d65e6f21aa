import EventLoop

/// The thread that opens and closes connections, because libnats blocks while it does.
///
/// - Confinement: its own thread's loop
final class ConnectionOpener {
    /// A wish of the client.
    enum Order: Sendable {
        /// Open the connection with this number: try each address once.
        case open(number: Int)
        /// End a connection.
        case close(NATSConnection)
        /// End the thread.
        case end
    }

    private let loop: Loop
    private let options: JournalOptions
    private let inputs: Mailbox<LinkInput>
    /// The address to begin with.
    private var next: Int
    private var number = 0
    private var greeting: Greeting?

    /// Starts the thread.
    /// - Parameter first: chooses the address to begin with, so that nodes spread over the servers.
    static func start(
        _ options: JournalOptions, beginning first: Int, into inputs: Mailbox<LinkInput>
    ) throws -> (thread: LoopThread, orders: Mailbox<Order>) {
        let (thread, orders) = try LoopThread.start(named: "journal-opener") { loop in
            let opener = ConnectionOpener(on: loop, options, beginning: first, into: inputs)
            return try Mailbox<Order>(on: loop) { orders in
                for order in orders { opener.take(order) }
            }
        }
        return (thread, orders)
    }

    private init(on loop: Loop, _ options: JournalOptions, beginning first: Int, into inputs: Mailbox<LinkInput>) {
        self.loop = loop
        self.options = options
        self.inputs = inputs
        next = first
    }

    private func take(_ order: Order) {
        switch order {
        case .open(let number):
            self.number = number
            tryServers(options.addresses.count, because: "")
        case .close(let connection): connection.close()
        case .end: loop.stop()
        }
    }

    /// Tries the next address, and those after it when it fails.
    private func tryServers(_ left: Int, because reason: String) {
        guard left > 0 else {
            inputs.post(.failed(reason: reason))
            return
        }
        let address = options.addresses[next % options.addresses.count]
        next += 1
        do {
            greet(address, try loop.resolve(host: address.host, port: address.port)[...], left - 1, because: "")
        } catch {
            tryServers(left - 1, because: "\(address): \(error)")
        }
    }

    /// A host may have several addresses, and the server may listen on one of them.
    private func greet(
        _ address: JournalAddress, _ places: ArraySlice<SocketAddress>, _ left: Int, because reason: String
    ) {
        guard let place = places.first else { return tryServers(left, because: "\(address): \(reason)") }
        greeting = Greeting(on: loop, from: place, milliseconds: options.connectMilliseconds) { [unowned self] result in
            guard !loop.isStopping else { return }
            switch result {
            case .success(let line): open(address, line, left)
            case .failure(let failure): greet(address, places.dropFirst(), left, because: "\(failure)")
            }
        }
    }

    private func open(_ address: JournalAddress, _ line: [UInt8], _ left: Int) {
        do {
            let server = try JournalServer(line: line)
            if let refusal = server.refusal {
                inputs.post(.unfit("\(address): \(refusal)"))
                return tryServers(left, because: "\(address): \(refusal)")
            }
            let connection = try NATSConnection(to: address, options, server: server, number: number, into: inputs)
            inputs.post(.opened(connection, server, address))
        } catch let problem as NATSConnection.Problem {
            tryServers(left, because: "\(address): \(problem.reason)")
        } catch {
            tryServers(left, because: "\(address): \(error)")
        }
    }
}

@available(*, unavailable)
extension ConnectionOpener: Sendable {}
