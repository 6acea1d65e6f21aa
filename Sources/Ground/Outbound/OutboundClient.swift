import CCurl
package import EventLoop

/// The server's only client: HTTP and HTTPS requests to other servers, driven by a loop.
///
/// It wraps libcurl's multi interface. It ignores proxies and passwords of the environment, follows no redirects, and
/// decompresses nothing; it always checks certificates. The policy belongs to the client and not to a request, because
/// connections are kept and used again, and each was checked when it was opened.
///
/// Its owner must `close()` it before the loop stops.
/// - Confinement: loop
@safe
package final class OutboundClient {
    /// How requests to the same host share connections.
    /// - Confinement: any
    package enum Connections: Sendable, Hashable {
        /// Requests open connections as they need them, up to 64 to all hosts together. Those over HTTP/2 share one
        /// while it has free streams.
        case asNeeded
        /// All requests to a host share one connection. HTTP/2 carries up to 100 of them at once, and the others wait.
        ///
        /// A new connection carries a single request until it has answered one, because a service may allow a single
        /// stream until it knows the sender, as APNs does. libcurl does not wait for the settings in which the service
        /// says so: it would open 100 streams, lose 99 of them, and the connection with each.
        ///
        /// The count is one for the whole client, so such a client should talk to a single host.
        case onePerHost
    }

    /// libcurl's version, for example `7.88.1`.
    package static var libraryVersion: String {
        // The first word, `libcurl/7.88.1`; the other words are libcurl's own libraries.
        let words = unsafe String(cString: curl_version())
        return String(words.prefix { $0 != " " }.drop { $0 != "/" }.dropFirst())
    }

    /// The most connections at once; further requests wait. Enough for webhooks to many slow receivers.
    private static let connectionsMax = 64
    /// The most requests at once on one connection of HTTP/2; further requests wait. With more of them each costs more
    /// time of the processor.
    private static let streamsMax = 100
    /// libcurl does not end a request that still waits for another one, so the client does, this long after its time.
    private static let overdueMilliseconds: Int64 = 50
    /// Connections kept for later requests.
    private static let idleConnectionsMax = 16
    private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    private let loop: Loop
    private let policy: AddressPolicy
    private let authorities: String?
    private let connections: Connections
    /// `CURLM`.
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UInt: Transfer] = [:]
    /// Handles of requests that went well, for the next ones.
    private var idleHandles: [RequestHandle] = []
    /// The sockets that were opened since a new connection has last answered, if requests share one connection.
    private var unproven: Set<Int32> = []
    /// The streams that libcurl may open on a connection now.
    private var streams = OutboundClient.streamsMax
    /// Transfers that failed before libcurl began; the timer reports them.
    private var unsendable: [Transfer] = []
    private var watchers: [Int32: SocketWatcher] = [:]
    private var timer: LoopTimer?
    private var overdueTimer: LoopTimer?
    /// When `overdueTimer` fires: no deadline is earlier.
    private var overdueAt = Int64.max

    /// Makes a client of the calling thread's loop.
    /// - Parameters:
    ///   - policy: The addresses that it may connect to.
    ///   - authorities: Path of a PEM file with the certificates to trust instead of the system's.
    ///   - connections: How requests to the same host share connections.
    /// - Throws: `transfer` when libcurl cannot be used.
    package init(
        on loop: Loop,
        policy: AddressPolicy,
        authorities: String? = nil,
        connections: Connections = .asNeeded
    ) throws(OutboundFailure) {
        loop.preconditionOnLoop()
        guard OutboundClient.isCurlReady, let multi = unsafe curl_multi_init() else {
            throw .transfer(code: Int(CURLE_FAILED_INIT.rawValue), reason: "libcurl cannot be used")
        }
        self.loop = loop
        self.policy = policy
        self.authorities = authorities
        self.connections = connections
        unsafe self.multi = multi
        timer = LoopTimer(on: loop) { [unowned self] in act(on: -1, 0) }
        overdueTimer = LoopTimer(on: loop) { [unowned self] in endOverdue() }
        set(CURLMOPT_MAX_TOTAL_CONNECTIONS, OutboundClient.connectionsMax)
        set(CURLMOPT_MAXCONNECTS, OutboundClient.idleConnectionsMax)
        set(CURLMOPT_MAX_CONCURRENT_STREAMS, streams)
        if connections == .onePerHost { set(CURLMOPT_MAX_HOST_CONNECTIONS, 1) }
        setCallbacks()
    }

    private func set(_ option: CURLMoption, _ value: Int) {
        unsafe watchwise_curl_multi_set_number(multi, option, value)
    }

    private func setCallbacks() {
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe watchwise_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, data)
        unsafe watchwise_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, data)
        unsafe watchwise_curl_multi_set_socket(multi) { _, descriptor, what, data, _ in
            unsafe OutboundClient.of(data)?.watch(descriptor, what)
            return 0
        }
        unsafe watchwise_curl_multi_set_timer(multi) { _, milliseconds, data in
            unsafe OutboundClient.of(data)?.setTimer(milliseconds)
            return 0
        }
    }

    deinit {
        precondition(timer == nil, "OutboundClient was dropped without close()")
    }

    /// Sends a request.
    /// - Parameters:
    ///   - take: Gets the body of an answer with status 200 piece by piece, instead of the answer; it returns whether to
    ///     go on. It is called on the loop.
    ///   - done: Called once, on the loop, and never during this call.
    package func send(
        _ request: OutboundRequest,
        taking take: (([UInt8]) -> Bool)? = nil,
        _ done: @escaping (Result<OutboundAnswer, OutboundFailure>) -> Void
    ) {
        loop.preconditionOnLoop()
        precondition(timer != nil, "a closed OutboundClient sends nothing")
        let deadline = loop.now + Int64(request.totalMilliseconds) + OutboundClient.overdueMilliseconds
        let transfer = Transfer(
            request, policy: policy, by: idleHandles.popLast() ?? RequestHandle(authorities: authorities),
            deadline: deadline,
            taking: take,
            opened: { [unowned self] in if connections == .onePerHost { unproven.insert($0) } },
            done
        )
        if transfer.failure == nil, unsafe curl_multi_add_handle(multi, transfer.handle.easy) == CURLM_OK {
            transfers[transfer.handle.key] = transfer
            watchDeadline(deadline)
        } else {
            unsendable.append(transfer)
            timer?.start(afterMilliseconds: 0)
        }
    }

    /// Ends all running requests, each with `cancelled`.
    package func close() {
        guard let timer else { return }
        loop.preconditionOnLoop()
        let left = Array(transfers.values)
        transfers = [:]
        for transfer in left { unsafe curl_multi_remove_handle(multi, transfer.handle.easy) }
        unsafe curl_multi_cleanup(multi)
        for watcher in watchers.values { watcher.close() }
        watchers = [:]
        timer.close()
        self.timer = nil
        overdueTimer?.close()
        overdueTimer = nil
        for transfer in left + unsendable { transfer.done(.failure(.cancelled)) }
        unsendable = []
    }

    /// The object whose address libcurl was given.
    @unsafe
    private static func of(_ data: UnsafeMutableRawPointer?) -> OutboundClient? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<OutboundClient>.fromOpaque(data).takeUnretainedValue()
    }

    /// libcurl's callback: which events it waits for on a socket.
    private func watch(_ descriptor: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            watchers.removeValue(forKey: descriptor)?.close()
            return
        }
        if watchers[descriptor] == nil {
            watchers[descriptor] = try? SocketWatcher(on: loop, descriptor: descriptor) { [unowned self] ready in
                var events: Int32 = 0
                if ready.contains(.reading) { events |= CURL_CSELECT_IN }
                if ready.contains(.writing) { events |= CURL_CSELECT_OUT }
                act(on: descriptor, events)
            }
        }
        var wanted: SocketWatcher.Readiness = []
        if what & CURL_POLL_IN != 0 { wanted.insert(.reading) }
        if what & CURL_POLL_OUT != 0 { wanted.insert(.writing) }
        watchers[descriptor]?.wait(for: wanted)
    }

    private func setTimer(_ milliseconds: Int) {
        if milliseconds < 0 { timer?.stop() } else { timer?.start(afterMilliseconds: Int64(milliseconds)) }
    }

    /// Lets libcurl continue: a socket is ready, or (-1) its timer has fired.
    private func act(on descriptor: Int32, _ events: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, descriptor, events, &running)
        var finished: [(Transfer, CURLcode)] = []
        var waiting: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &waiting) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let key = unsafe UInt(bitPattern: message.pointee.easy_handle)
            if let transfer = transfers.removeValue(forKey: key) {
                unsafe finished.append((transfer, message.pointee.data.result))
            }
        }
        shareConnection(finished)
        for (transfer, _) in finished { unsafe curl_multi_remove_handle(multi, transfer.handle.easy) }
        finished += unsendable.map { ($0, CURLE_FAILED_INIT) }
        unsendable = []
        for (transfer, code) in finished {
            let result = transfer.result(code)
            if code == CURLE_OK, idleHandles.count < OutboundClient.streamsMax {
                idleHandles.append(transfer.handBack())
            }
            transfer.done(result)
        }
    }

    /// Allows a single stream while a new connection has not answered, and all streams when it has. The connection
    /// before it may still answer, and does not count.
    private func shareConnection(_ finished: [(Transfer, CURLcode)]) {
        guard !unproven.isEmpty else { return }
        let hasAnswered = finished.contains { transfer, code in
            code == CURLE_OK && transfer.handle.descriptor.map(unproven.contains) == true
        }
        if hasAnswered { unproven = [] }
        let wanted = hasAnswered ? OutboundClient.streamsMax : 1
        guard streams != wanted else { return }
        streams = wanted
        set(CURLMOPT_MAX_CONCURRENT_STREAMS, wanted)
    }

    private func watchDeadline(_ deadline: Int64) {
        guard deadline < overdueAt else { return }
        overdueAt = deadline
        overdueTimer?.start(afterMilliseconds: deadline - loop.now)
    }

    private func endOverdue() {
        let overdue = transfers.values.filter { $0.deadline <= loop.now }
        for transfer in overdue {
            transfers[transfer.handle.key] = nil
            unsafe curl_multi_remove_handle(multi, transfer.handle.easy)
        }
        overdueAt = .max
        if let next = transfers.values.map(\.deadline).min() { watchDeadline(next) }
        for transfer in overdue { transfer.done(transfer.result(CURLE_OPERATION_TIMEDOUT)) }
    }
}

@available(*, unavailable)
extension OutboundClient: Sendable {}
