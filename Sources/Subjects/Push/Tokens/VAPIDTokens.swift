package import Model

/// Proves to push services that it is us (RFC 8292), with one token for each service and key.
///
/// - Confinement: any
package struct VAPIDTokens: Sendable {
    /// The proof for one request.
    ///
    /// - Confinement: any
    package struct Proof: Sendable, Hashable {
        /// The value of the field `Authorization`.
        package let authorization: String
        /// When the token was signed; see ``PushAttempt/tokenMade``.
        package let made: Timestamp
    }

    /// The content of a proof.
    ///
    /// - Confinement: any
    package struct Statement: Sendable, Hashable {
        /// For whom it is: the claim `aud`.
        package let origin: String
        /// The key with which the device subscribed: 65 bytes as base64url.
        package let publicKey: String
        /// The claim `sub`.
        package let contact: String
        /// The claim `exp`; RFC 8292 allows a day.
        package let expiresAt: Timestamp
    }

    private struct Place: Hashable {
        let origin: String
        let publicKey: String
    }

    /// A `mailto:` or `https:` address, under which an operator of a push service finds us.
    private let contact: String
    private var proofs: [Place: Proof] = [:]

    package init(contact: String) { self.contact = contact }

    /// The number of tokens that are kept.
    var count: Int { proofs.count }

    /// The proof for an endpoint, made now if there is none that is young enough.
    ///
    /// - Parameters:
    ///   - publicKey: The key with which the device subscribed.
    ///   - sign: gives the value of `Authorization`, or nil when the key is not one of ours.
    /// - Returns: nil in that case: nothing can be sent to the device.
    /// - Throws: the error of the signing.
    package mutating func proof(
        for endpoint: WebAddress, publicKey: String, at now: Timestamp, sign: (Statement) throws -> String?
    ) rethrows -> Proof? {
        let place = Place(origin: endpoint.origin, publicKey: publicKey)
        if let proof = proofs[place], isYoung(proof, at: now) { return proof }
        let statement = Statement(
            origin: place.origin, publicKey: publicKey, contact: contact,
            expiresAt: now.adding(milliseconds: PushLimits.vapidMilliseconds))
        guard let authorization = try sign(statement) else { return nil }
        let proof = Proof(authorization: authorization, made: now)
        if proofs.count >= PushLimits.vapidOriginsMax { makeRoom(at: now) }
        proofs[place] = proof
        return proof
    }

    /// Forgets the tokens of a service that refused one.
    package mutating func forget(_ endpoint: WebAddress) {
        let origin = endpoint.origin
        proofs = proofs.filter { $0.key.origin != origin }
    }

    /// A token from a clock that was ahead does not count, because it would be valid for longer than a day.
    private func isYoung(_ proof: Proof, at now: Timestamp) -> Bool {
        (0..<PushLimits.vapidRenewalMilliseconds).contains(now.milliseconds - proof.made.milliseconds)
    }

    /// Removes old tokens, or else the oldest half: each is made again in microseconds when it is needed.
    private mutating func makeRoom(at now: Timestamp) {
        proofs = proofs.filter { isYoung($0.value, at: now) }
        guard proofs.count >= PushLimits.vapidOriginsMax else { return }
        let newest = proofs.sorted { $0.value.made > $1.value.made }.prefix(PushLimits.vapidOriginsMax / 2)
        proofs = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
