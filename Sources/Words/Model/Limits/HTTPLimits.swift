/// The bounds of one HTTP message, each with its reason.
///
/// - Confinement: any
package struct HTTPLimits: Sendable, Hashable {
    /// Bytes of a request target; a longer one is 414. RFC 9112 section 3 recommends at least 8,000.
    package var targetBytesMax = 8_000
    /// Items of a query; more is 400. A stream of events names up to a hundred watches, and a decoded item takes many
    /// times its bytes in memory.
    package static let queryItemsMax = 256
    /// Segments of a path; more is 400. A document of eight levels has sixteen, after those of the API.
    package static let segmentsMax = 64
    /// Bytes of all header lines of a message with their line ends; more is 431. Browsers with long cookies and a
    /// bearer token stay under 8 KiB; common proxies pass on twice that.
    package var headerBytesMax = 16 * 1024
    /// Header lines of a message; more is 431. Browsers through two proxies send about 30; a look-up searches them all.
    package var headerCountMax = 100
    /// Bytes of a body; more is 413, and is refused after the head if the head gives the length. The largest body is a
    /// batch of documents of 64 KiB each.
    package var bodyBytesMax = 1024 * 1024
    /// Bytes of all chunk extensions of a message; more is 400. Nobody uses them, and without a bound a peer could send
    /// them for ever without a growing body (RFC 9112 section 7.1.1).
    package var chunkExtensionBytesMax = 1024
    /// Bytes of a message's trailer lines; more is 431. They are checked and dropped.
    package var trailerBytesMax = 4 * 1024
    /// Bytes of requests that arrive before the current one is answered; more is 400. The owner stops reading while it
    /// answers, so these are one or two reads (64 KiB each, and the same again from TLS).
    package var pipelinedBytesMax = 256 * 1024

    /// The default bounds.
    package init() {}
}
