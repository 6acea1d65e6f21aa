import COpenSSL

/// A failure reported by OpenSSL, with its code as it came.
/// - Confinement: any
package struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// OpenSSL's packed code (`ERR_get_error`); 0 when the library left none.
    package let code: UInt

    /// Takes the oldest error off the calling thread's queue and clears the rest.
    static func take() -> TLSError {
        let code = ERR_get_error()
        ERR_clear_error()
        return TLSError(code: code)
    }

    /// OpenSSL's line, such as `error:12000090:random number generator::unable to fetch drbg`.
    package var description: String {
        var text = [CChar](repeating: 0, count: 256)
        unsafe ERR_error_string_n(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The last part of that line alone, such as `unable to fetch drbg`; the whole line when OpenSSL has no words.
    package var reason: String {
        unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? description
    }
}
