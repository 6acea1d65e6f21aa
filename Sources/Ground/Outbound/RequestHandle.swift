import CCurl

/// libcurl's easy handle with the options that are the same for all requests of a client. It serves one request after
/// the other, because making one costs about as much as a small request.
///
/// - Confinement: loop
@safe
final class RequestHandle {
    /// `CURL`.
    let easy: UnsafeMutableRawPointer
    /// Why it cannot be used: libcurl did not accept an option that protects us.
    private(set) var failure: OutboundFailure?
    private let errorText: UnsafeMutablePointer<CChar>

    /// - Parameter authorities: Path of a PEM file with the certificates to trust instead of the system's.
    init(authorities: String?) {
        guard let easy = unsafe curl_easy_init() else { preconditionFailure("libcurl has no memory for a request") }
        unsafe self.easy = easy
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe watchwise_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_NOSIGNAL, 1)
        // A resolver that does not answer must not be waited for: its thread would block the loop.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_USERAGENT, "watchwise")
        setTrust(authorities)
        setCallbacks()
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe errorText.deallocate()
    }

    /// The key by which the client finds the request that it serves.
    var key: UInt { unsafe UInt(bitPattern: easy) }

    /// The socket of its connection; nil when there is none any more.
    var descriptor: Int32? {
        var descriptor: Int32 = -1
        unsafe watchwise_curl_active_socket(easy, &descriptor)
        return descriptor < 0 ? nil : descriptor
    }

    func set(_ option: CURLoption, _ value: Int) { check(unsafe watchwise_curl_set_number(easy, option, value)) }

    func set(_ option: CURLoption, _ value: String?) {
        if let value {
            check(unsafe watchwise_curl_set_text(easy, option, value))
        } else {
            check(unsafe watchwise_curl_set_text(easy, option, nil))
        }
    }

    func set(_ option: CURLoption, size: Int) { check(unsafe watchwise_curl_set_size(easy, option, curl_off_t(size))) }

    /// Copies the body of a POST.
    func setBody(_ bytes: [UInt8]) {
        set(CURLOPT_POST, 1)
        set(CURLOPT_POSTFIELDSIZE_LARGE, size: bytes.count)
        unsafe bytes.withUnsafeBytes { buffer in
            // An empty body, too, must not be read from a stream.
            let start = unsafe UnsafeMutableRawPointer(mutating: buffer.baseAddress ?? UnsafeRawPointer(errorText))
            check(unsafe watchwise_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start))
        }
    }

    /// The sentence about a failure.
    func reason(_ code: CURLcode) -> String {
        let detail = unsafe String(cString: errorText)
        return detail.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : detail
    }

    /// Binds the handle to a request, or with nil to none.
    func serve(_ transfer: Transfer?) {
        let data = unsafe transfer.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        unsafe errorText.pointee = 0
        check(unsafe watchwise_curl_set_pointer(easy, CURLOPT_WRITEDATA, data))
        check(unsafe watchwise_curl_set_pointer(easy, CURLOPT_HEADERDATA, data))
        check(unsafe watchwise_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, data))
        if transfer == nil { check(unsafe watchwise_curl_set_list(easy, CURLOPT_HTTPHEADER, nil)) }
    }

    private func check(_ code: CURLcode) {
        if code != CURLE_OK { failure = .transfer(code: Int(code.rawValue), reason: reason(code)) }
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

    private func setCallbacks() {
        unsafe watchwise_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { start, _, count, data in
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
            return unsafe RequestHandle.transfer(data)?.takeBody(bytes) == true ? count : 0
        }
        unsafe watchwise_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { start, size, count, data in
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: size * count)
            return unsafe RequestHandle.transfer(data)?.takeLine(bytes) == true ? size * count : 0
        }
        let code = unsafe watchwise_curl_set_opener(easy) { data, _, address in
            guard let address = unsafe address else { return -1 }
            return unsafe RequestHandle.transfer(data)?.open(address) ?? -1
        }
        check(code)
    }

    /// The object whose address libcurl was given.
    @unsafe
    private static func transfer(_ data: UnsafeMutableRawPointer?) -> Transfer? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<Transfer>.fromOpaque(data).takeUnretainedValue()
    }
}

@available(*, unavailable)
extension RequestHandle: Sendable {}
