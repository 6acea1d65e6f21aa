/// How much of one HTTP message is taken, each bound with its reason.
///
/// - Confinement: any
package struct HTTPLimits: Sendable, Hashable {
    /// Bytes of a request target; a longer one is 414. RFC 9112 section 3 recommends at least 8,000.
    package var targetBytesMax = 8_000
    /// Items of a query; more is 400. A stream of events names up to a hundred watches, and a decoded item takes many times
    /// its bytes.
    package static let queryItemsMax = 256
    /// Segments of a path; more is 400. A document of eight levels has sixteen, after those of the API.
    package static let segmentsMax = 64
    /// Bytes of all header lines of a message with their line ends; more is 431. Browsers with long cookies and a
    /// bearer token stay under 8 KiB; twice that is what common proxies pass on.
    package var headerBytesMax = 16 * 1024
    /// Header lines of a message; more is 431. Browsers through two proxies send about 30, and look-up is linear.
    package var headerCountMax = 100
    /// Bytes of a body; more is 413, refused at the head if it says so. A batch of documents of 64 KiB each is the
    /// largest thing the API takes.
    package var bodyBytesMax = 1024 * 1024
    /// Bytes of all chunk extensions of a message together; more is 400. Nobody uses them, and unbounded they let a
    /// peer send for ever without a body that grows (RFC 9112 section 7.1.1).
    package var chunkExtensionBytesMax = 1024
    /// Bytes of a message's trailer lines; more is 431. They are checked and dropped.
    package var trailerBytesMax = 4 * 1024
    /// Bytes kept of requests that follow before the current one is answered; more is 400. The owner stops reading
    /// while it answers, so this is a read or two that were under way (64 KiB each, and as much again from TLS).
    package var pipelinedBytesMax = 256 * 1024

    /// The default bounds.
    package init() {}
}
