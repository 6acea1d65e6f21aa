import CUV

/// A failure reported by libuv or by the kernel, with the unchanged C code.
///
/// The code is libuv's negative errno (`UV_EMFILE` is -24 on Linux), so it can be looked up in both manuals.
/// - Confinement: any
package struct UVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libuv's code: the negated errno, or one of libuv's own (`UV_EOF` is -4095).
    package let code: Int32

    /// Wraps the result of a libuv call.
    /// - Parameter code: below zero.
    package init(code: Int32) {
        self.code = code
    }

    /// Wraps the `errno` of a system call.
    /// - Parameter errno: above zero.
    package init(errno: Int32) {
        self.code = -errno
    }

    /// The symbol in the manuals, for example `EADDRINUSE`.
    package var name: String {
        var text = [CChar](repeating: 0, count: 64)
        return unsafe String(cString: uv_err_name_r(code, &text, text.count))
    }

    /// The sentence of `uv_strerror`, for example `address already in use`.
    package var message: String {
        var text = [CChar](repeating: 0, count: 128)
        return unsafe String(cString: uv_strerror_r(code, &text, text.count))
    }

    /// Name and sentence, for logs.
    package var description: String {
        "\(name): \(message)"
    }

    /// Turns a libuv result into a thrown error.
    /// - Parameter result: below zero is a failure.
    static func check(_ result: Int32) throws(UVError) {
        if result < 0 { throw UVError(code: result) }
    }
}

extension UVError {
    /// This side cancelled the operation.
    package static let cancelled = UVError(code: UV_ECANCELED.rawValue)
    /// The peer or a deadline took too long.
    package static let timedOut = UVError(code: UV_ETIMEDOUT.rawValue)
    /// No memory left.
    package static let noMemory = UVError(code: UV_ENOMEM.rawValue)
    /// A text is not an address, or an argument is out of range.
    package static let invalid = UVError(code: UV_EINVAL.rawValue)
}
