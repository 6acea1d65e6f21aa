import CCurl
import Glibc
import Model

/// A running request, by a handle of libcurl, and the answer so far.
/// - Confinement: loop
@safe
final class Transfer {
    /// The largest head of an answer in bytes; usual heads have a few hundred.
    private static let headBytesMax = 64 << 10

    let done: (Result<OutboundAnswer, OutboundFailure>) -> Void
    /// The time on the loop's clock after which its owner ends it.
    let deadline: Int64
    let handle: RequestHandle
    /// Why the request cannot be sent or was aborted, when we know it without libcurl.
    private(set) var failure: OutboundFailure?

    private let request: OutboundRequest
    private let policy: AddressPolicy
    /// Called with each socket that is opened for this request.
    private let opened: (Int32) -> Void
    private var list: UnsafeMutablePointer<curl_slist>?
    private var refused: IPAddress?
    private var headBytes = 0
    private var fields: [OutboundRequest.Field] = []
    private var body: [UInt8] = []
    /// Bytes of the body so far.
    private var bodyBytes = 0
    /// Takes the body of a good answer, if anybody wants it in pieces.
    private let take: (([UInt8]) -> Bool)?

    init(
        _ request: OutboundRequest,
        policy: AddressPolicy,
        by handle: RequestHandle,
        deadline: Int64,
        taking take: (([UInt8]) -> Bool)? = nil,
        opened: @escaping (Int32) -> Void,
        _ done: @escaping (Result<OutboundAnswer, OutboundFailure>) -> Void
    ) {
        self.request = request
        self.policy = policy
        self.handle = handle
        self.deadline = deadline
        self.take = take
        self.opened = opened
        self.done = done
        if let problem = Transfer.problem(of: request) {
            failure = .unusable(problem)
            return
        }
        handle.serve(self)
        setBounds()
        setContent()
        failure = handle.failure
    }

    deinit { unsafe curl_slist_free_all(list) }

    /// Gives the handle back, free for another request. This one must be over.
    func handBack() -> RequestHandle {
        handle.serve(nil)
        return handle
    }

    /// The result of the request.
    func result(_ code: CURLcode) -> Result<OutboundAnswer, OutboundFailure> {
        if let failure { return .failure(failure) }
        switch code {
        case CURLE_OK:
            var (status, version) = (0, 0)
            unsafe watchwise_curl_status(handle.easy, &status)
            unsafe watchwise_curl_version(handle.easy, &version)
            let spoken = version == Int(CURL_HTTP_VERSION_2_0) ? OutboundRequest.Version.two : .one
            return .success(OutboundAnswer(status: status, fields: fields, body: body, version: spoken))
        case CURLE_FILESIZE_EXCEEDED: return .failure(.tooLarge(bytesMax: request.answerBytesMax))
        case CURLE_OPERATION_TIMEDOUT: return .failure(.timedOut)
        case CURLE_COULDNT_CONNECT:
            if let refused { return .failure(.addressRefused(refused.description)) }
            return .failure(.transfer(code: Int(code.rawValue), reason: handle.reason(code)))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            return .failure(.untrusted(reason: handle.reason(code)))
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            return .failure(.connectionEnded(code: Int(code.rawValue), reason: handle.reason(code)))
        default: return .failure(.transfer(code: Int(code.rawValue), reason: handle.reason(code)))
        }
    }

    /// The problem with a request's URL. libcurl would guess a missing scheme; we refuse it.
    private static func problem(of request: OutboundRequest) -> String? {
        let url = request.url.lowercased()
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return "'\(request.url.prefix(200))' is not an http or https URL" }
        guard let field = request.fields.first(where: { !$0.isValid }) else { return nil }
        return "'\(field.name.prefix(200))' is not a header field that can be sent"
    }
}

@available(*, unavailable)
extension Transfer: Sendable {}

// MARK: - Options for libcurl

extension Transfer {
    private func setBounds() {
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectMilliseconds))
        handle.set(CURLOPT_TIMEOUT_MS, max(1, request.totalMilliseconds))
        handle.set(CURLOPT_MAXFILESIZE_LARGE, size: request.answerBytesMax)
        let isTwo = request.version == .two
        handle.set(CURLOPT_HTTP_VERSION, isTwo ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
        // Wait for a connection that is being opened, to share it, instead of opening another one.
        handle.set(CURLOPT_PIPEWAIT, isTwo ? 1 : 0)
    }

    private func setContent() {
        handle.set(CURLOPT_URL, request.url)
        switch request.method {
        case .get: handle.set(CURLOPT_HTTPGET, 1)
        case .post(let bytes): handle.setBody(bytes)
        }
        for field in request.fields {
            // libcurl wants a semicolon for an empty value; with a colon it leaves the field out.
            add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        add("Expect:")
        unsafe watchwise_curl_set_list(handle.easy, CURLOPT_HTTPHEADER, list)
    }

    private func add(_ line: String) {
        if let longer = unsafe curl_slist_append(list, line) { unsafe list = longer }
    }
}

// MARK: - libcurl's callbacks

extension Transfer {
    /// Opens the socket for an address that is about to be connected to, if the policy admits it.
    @unsafe
    func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        let family = unsafe address.pointee.family
        guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
        // The address at the end of the struct is longer than its declared type: `addrlen` bytes.
        let bytes = unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + start,
            count: Int(address.pointee.addrlen)
        )
        let target: IPAddress
        switch family {
        case AF_INET where bytes.count >= 8:
            target = IPAddress(v4: UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        case AF_INET6 where bytes.count >= 24:
            target = IPAddress(
                high: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                low: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
        default: return -1
        }
        guard policy.admits(target) else {
            refused = target
            return -1
        }
        let kind = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe socket(family, kind, address.pointee.protocol)
        if descriptor >= 0 { opened(descriptor) }
        return descriptor
    }

    /// Receives a piece of the body.
    @unsafe
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= request.answerBytesMax - bodyBytes else {
            failure = .tooLarge(bytesMax: request.answerBytesMax)
            return false
        }
        bodyBytes += bytes.count
        if let take, isGood {
            let goesOn = take(unsafe Array(bytes))
            if !goesOn { failure = .cancelled }
            return goesOn
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    private var isGood: Bool {
        var status = 0
        unsafe watchwise_curl_status(handle.easy, &status)
        return status == 200
    }

    /// Receives a line of a head, with its line end. Interim answers (1xx) have heads of their own: the last one
    /// counts.
    @unsafe
    func takeLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard headBytes <= Transfer.headBytesMax else {
            failure = .tooLarge(bytesMax: Transfer.headBytesMax)
            return false
        }
        let line = unsafe bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        guard unsafe !line.starts(with: "HTTP/".utf8) else {
            fields = []
            return true
        }
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let value = unsafe line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let name = unsafe String(decoding: line[..<colon], as: UTF8.self)
        fields.append(OutboundRequest.Field(name, unsafe String(decoding: value, as: UTF8.self)))
        return true
    }
}
