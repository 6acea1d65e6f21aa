import Authentication
import EventLoop
import Model
import Push
import Store

/// A request that is ready, with what its answer is judged by.
///
/// - Confinement: any
struct PushMade {
    let request: PushRequest
    /// When its VAPID, APNs or access token was made.
    let tokenMade: Timestamp
    let isEncrypted: Bool
    /// For the record of the answer.
    var note = ""
}

/// There is no access token at the moment.
///
/// - Confinement: any
struct PushTokenMissing: Error, CustomStringConvertible {
    let description = "there is no access token yet"
}

extension PushServices {
    /// Makes the request of an order.
    ///
    /// - Returns: nil for a withdrawal that a browser would have to show.
    /// - Throws: `PushUnsendable`; another error when our own key cannot be used.
    func make(_ order: PushOrder, to service: PushServiceName, at now: Timestamp) throws -> PushMade? {
        switch service {
        case .origin: try webPush(order, at: now)
        case .apns(let environment): try apns(order, in: environment, at: now)
        case .fcm: try fcm(order, at: now)
        }
    }

    private func webPush(_ order: PushOrder, at now: Timestamp) throws -> PushMade? {
        let registration = order.device.registration
        guard let endpoint = WebAddress(registration.target), let publicKey = registration.serverKey else {
            throw PushUnsendable(reason: "the subscription has no endpoint or no key of this server")
        }
        let proof = try credentials.vapidProof(for: endpoint, publicKey: publicKey, at: now, tick: loop.now)
        guard let proof else {
            throw PushUnsendable(reason: "it subscribed with a key that the server does not have any more")
        }
        let seal = try sealing(order)
        let request = try WebPushRequest.make(
            order.content, to: endpoint, isSilenceAllowed: registration.platform == .unifiedpush,
            isHidden: registration.privacy == .hidden || order.variant == .hidden,
            authorization: proof.authorization, at: now, seal: seal)
        return request.map { PushMade(request: $0, tokenMade: proof.made, isEncrypted: endpoint.isEncrypted) }
    }

    private func apns(_ order: PushOrder, in environment: APNsEnvironment, at now: Timestamp) throws -> PushMade {
        let registration = order.device.registration
        guard let token = try credentials.apnsToken(at: now, tick: loop.now) else {
            throw PushUnsendable(reason: "the server is not configured for apns")
        }
        let target = APNsTarget(
            token: registration.target, topic: registration.topic ?? "",
            environment: registration.environment ?? .production)
        let id = APNsRequestID.random(using: &random)
        let request = try APNsRequest.make(
            order.content, to: target, in: environment, of: apnsService, cover: try cover(order), id: id,
            token: token.text, at: now)
        return PushMade(
            request: request, tokenMade: token.made, isEncrypted: request.url.hasPrefix("https"),
            note: "apns-id \(id)")
    }

    private func fcm(_ order: PushOrder, at now: Timestamp) throws -> PushMade {
        let registration = order.device.registration
        guard let account = try credentials.fcmAccount(tick: loop.now) else {
            throw PushUnsendable(reason: "the server is not configured for fcm")
        }
        // The line has room only while there is one.
        guard let token = accessToken(at: now) else { throw PushTokenMissing() }
        let target =
            registration.targetKind == .fid
            ? FCMTarget.installation(registration.target) : FCMTarget.token(registration.target)
        let request = try FCMRequest.make(
            order.content, to: target, of: fcmService(project: account.project), cover: try cover(order),
            token: token.text, at: now)
        return PushMade(request: request, tokenMade: token.made, isEncrypted: request.url.hasPrefix("https"))
    }

    private func cover(_ order: PushOrder) throws -> PushCover {
        do {
            return try order.cover()
        } catch {
            throw PushUnsendable(reason: "\(error)")
        }
    }

    private func sealing(_ order: PushOrder) throws -> PushSealing {
        do {
            return try order.seal()
        } catch {
            throw PushUnsendable(reason: "\(error)")
        }
    }
}
