import CCurl
import Glibc
import Model

/// A running request: libcurl's easy handle and the answer so far.
/// - Confinement: loop
@safe
final class Transfer {
    /// The largest head of an answer in bytes; usual heads have a few hundred.
    private static let headBytesMax = 64 << 10

    let done: (Result<OutboundAnswer, OutboundFailure>) -> Void
    /// The time on the loop's clock after which its owner ends it.
    let deadline: Int64
    /// `CURL`.
    let easy: UnsafeMutableRawPointer
    /// Why the request cannot be sent or was aborted, when we know it without libcurl.
    private(set) var failure: OutboundFailure?

    private let request: OutboundRequest
    private let policy: AddressPolicy
    /// Called with each socket that is opened for this request.
    private let opened: (Int32) -> Void
    private var list: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var refused: IPAddress?
    private var headBytes = 0
    private var fields: [OutboundRequest.Field] = []
    private var body: [UInt8] = []

    init(
        _ request: OutboundRequest,
        policy: AddressPolicy,
        authorities: String?,
        deadline: Int64,
        opened: @escaping (Int32) -> Void,
        _ done: @escaping (Result<OutboundAnswer, OutboundFailure>) -> Void
    ) {
        self.request = request
        self.policy = policy
        self.deadline = deadline
        self.opened = opened
        self.done = done
        guard let easy = unsafe curl_easy_init() else { preconditionFailure("libcurl has no memory for a request") }
        unsafe self.easy = easy
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        if let problem = Transfer.problem(of: request) {
            failure = .unusable(problem)
            return
        }
        setBounds()
        setVersion()
        setTrust(authorities)
        setContent()
        setCallbacks()
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(list)
        unsafe errorText.deallocate()
    }

    /// The key by which the client finds it.
    var key: UInt { unsafe UInt(bitPattern: easy) }

    /// The socket of its connection; nil when there is none any more.
    var descriptor: Int32? {
        var descriptor: Int32 = -1
        unsafe watchwise_curl_active_socket(easy, &descriptor)
        return descriptor < 0 ? nil : descriptor
    }

    /// The result of the request.
    func result(_ code: CURLcode) -> Result<OutboundAnswer, OutboundFailure> {
        if let failure { return .failure(failure) }
        switch code {
        case CURLE_OK:
            var (status, version) = (0, 0)
            unsafe watchwise_curl_status(easy, &status)
            unsafe watchwise_curl_version(easy, &version)
            let spoken = version == Int(CURL_HTTP_VERSION_2_0) ? OutboundRequest.Version.two : .one
            return .success(OutboundAnswer(status: status, fields: fields, body: body, version: spoken))
        case CURLE_FILESIZE_EXCEEDED: return .failure(.tooLarge(bytesMax: request.answerBytesMax))
        case CURLE_OPERATION_TIMEDOUT: return .failure(.timedOut)
        case CURLE_COULDNT_CONNECT:
            if let refused { return .failure(.addressRefused(refused.description)) }
            return .failure(.transfer(code: Int(code.rawValue), reason: reason(code)))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            return .failure(.untrusted(reason: reason(code)))
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            return .failure(.connectionEnded(code: Int(code.rawValue), reason: reason(code)))
        default: return .failure(.transfer(code: Int(code.rawValue), reason: reason(code)))
        }
    }

    private func reason(_ code: CURLcode) -> String {
        let detail = unsafe String(cString: errorText)
        return detail.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : detail
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
    private func set(_ option: CURLoption, _ value: Int) {
        check(unsafe watchwise_curl_set_number(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: String?) {
        if let value {
            check(unsafe watchwise_curl_set_text(easy, option, value))
        } else {
            check(unsafe watchwise_curl_set_text(easy, option, nil))
        }
    }

    /// If libcurl did not accept an option that protects us, the request is not sent.
    private func check(_ code: CURLcode) {
        if code != CURLE_OK { failure = .transfer(code: Int(code.rawValue), reason: reason(code)) }
    }

    private func setBounds() {
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectMilliseconds))
        set(CURLOPT_TIMEOUT_MS, max(1, request.totalMilliseconds))
        unsafe watchwise_curl_set_size(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.answerBytesMax))
        // A resolver that does not answer must not be waited for: its thread would block the loop.
        set(CURLOPT_QUICK_EXIT, 1)
    }

    private func setVersion() {
        switch request.version {
        case .one: set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        case .two:
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            // Wait for a connection that is being opened, to share it, instead of opening another one.
            set(CURLOPT_PIPEWAIT, 1)
        }
    }

    private func setTrust(_ authorities: String?) {
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NETRC, 0)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        guard let authorities else { return }
        set(CURLOPT_CAINFO, authorities)
        // Otherwise the system's folder would be trusted, too.
        set(CURLOPT_CAPATH, nil)
    }

    private func setContent() {
        set(CURLOPT_URL, request.url)
        set(CURLOPT_USERAGENT, "watchwise")
        if case .post(let bytes) = request.method {
            set(CURLOPT_POST, 1)
            unsafe watchwise_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
            unsafe bytes.withUnsafeBytes { buffer in
                // Copied; an empty body, too, must not be read from a stream.
                let start = unsafe UnsafeMutableRawPointer(mutating: buffer.baseAddress ?? UnsafeRawPointer(errorText))
                unsafe watchwise_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start)
            }
        }
        for field in request.fields {
            // libcurl wants a semicolon for an empty value; with a colon it leaves the field out.
            add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        add("Expect:")
        unsafe watchwise_curl_set_list(easy, CURLOPT_HTTPHEADER, list)
    }

    private func add(_ line: String) {
        if let longer = unsafe curl_slist_append(list, line) { unsafe list = longer }
    }

    private func setCallbacks() {
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe watchwise_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        unsafe watchwise_curl_set_pointer(easy, CURLOPT_WRITEDATA, data)
        unsafe watchwise_curl_set_pointer(easy, CURLOPT_HEADERDATA, data)
        check(unsafe watchwise_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, data))
        unsafe watchwise_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { start, _, count, data in
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
            return unsafe Transfer.of(data)?.takeBody(bytes) == true ? count : 0
        }
        unsafe watchwise_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { start, size, count, data in
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: size * count)
            return unsafe Transfer.of(data)?.takeLine(bytes) == true ? size * count : 0
        }
        let code = unsafe watchwise_curl_set_opener(easy) { data, _, address in
            guard let address = unsafe address else { return -1 }
            return unsafe Transfer.of(data)?.open(address) ?? -1
        }
        check(code)
    }

    /// The object whose address libcurl was given.
    @unsafe
    private static func of(_ data: UnsafeMutableRawPointer?) -> Transfer? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<Transfer>.fromOpaque(data).takeUnretainedValue()
    }
}

// MARK: - libcurl's callbacks

extension Transfer {
    /// Opens the socket for an address that is about to be connected to, if the policy admits it.
    @unsafe
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
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

    @unsafe
    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= request.answerBytesMax - body.count else {
            failure = .tooLarge(bytesMax: request.answerBytesMax)
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Receives a line of a head, with its line end. Interim answers (1xx) have heads of their own: the last one
    /// counts.
    @unsafe
    private func takeLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
