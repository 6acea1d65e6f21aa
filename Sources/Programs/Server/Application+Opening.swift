import Admin
import Authentication
import Cluster
import Configuration
import Crypto
import EventLoop
import Feeds
import Gateway
import Model
import Store
import Synchronization
import Telemetry
import ThreadMessages

// The parts of a start other than the folder, the threads and the listeners.
extension Application {
    static func loadCertificate(
        _ configuration: ServerConfiguration, _ log: ServerLog, _ metrics: Metrics
    ) throws -> (certificate: ServerCertificate, context: TLSContext)? {
        switch (configuration.tlsCertificate, configuration.tlsKey) {
        case (nil, nil): return nil
        case (let certificatePath?, let keyPath?):
            do {
                let certificate = try ServerCertificate(certificatePath: certificatePath, keyPath: keyPath)
                return (certificate, try certificate.load(log, metrics))
            } catch {
                throw StartProblem(isConfiguration: true, "TLS: \(error)")
            }
        case (nil, _?), (_?, nil):
            throw StartProblem(isConfiguration: true, "TLS needs both tls-certificate and tls-key")
        }
    }

    /// Warns of settings that are rarely intended.
    static func warn(of configuration: ServerConfiguration, _ log: ServerLog) {
        if configuration.hasEcho { log.warning("the echo endpoint is on: everybody may use /v1/echo") }
        for variable in configuration.unknownVariables {
            log.warning(
                "an environment variable is not a setting of this server",
                ["variable": variable.name, "nearest": variable.nearest ?? "none"])
        }
    }

    static func feedDesk(
        _ feeds: [FeedConfiguration], _ mailbox: Mailbox<FeedMessage>, _ board: FeedBoard
    ) -> FeedDesk {
        FeedDesk(
            mailbox: mailbox, board: board, configured: feeds.map(\.definition),
            withKey: Set(feeds.filter { $0.key != nil }.map(\.definition.name)))
    }

    /// The pages of an application, and the audience of the tokens that they give away. These tokens are for this run
    /// only: a server that is started later on the same folder does not accept them.
    static func makePages(
        _ make: PagesMaker, _ clock: WallClock, _ secret: ServerSecret
    ) throws -> (pages: any ServedPages, audience: String) {
        let audience = try ServerSecret.newAudience()
        let pages = make { user in
            let now = clock.now()
            let claims = Claims(subject: user, expiresAt: now.adding(milliseconds: 86_400_000))
            return JSONWebToken.sign(claims, issuedAt: now, with: secret, audience: audience)
        }
        return (pages, audience)
    }

    /// Bounds the connections by the number of free file descriptors, when everything else is open.
    static func boundConnections(_ descriptors: Int, _ peers: PeerPolicy, _ log: ServerLog) {
        let free = max(0, descriptors - DescriptorLimit.used)
        let connectionsMax = free - min(Limits.reservedDescriptors, free / 4)
        peers.connectionsMax.store(connectionsMax, ordering: .relaxed)
        log.info("descriptors", ["limit": "\(descriptors)", "connections": "\(connectionsMax)"])
    }
}
