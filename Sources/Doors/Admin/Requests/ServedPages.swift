package import ClientProtocol
package import Wire

/// Pages that an application serves from the server's own address, beside the API: the gateway asks them for whatever
/// it has nothing for itself.
///
/// - Confinement: any
package protocol ServedPages: Sendable {
    /// Whether a path may be one of theirs.
    func owns(_ path: String) -> Bool

    /// Whether a token is given away at a path, so that it is served under the server's own names only.
    func givesToken(_ path: String) -> Bool

    /// The answer to a request; nil when there is nothing at its path.
    ///
    /// - Throws: `Refusal`, which becomes a problem document.
    func response(to head: HTTPRequestHead) throws(Refusal) -> HTTPResponse?
}
