import Authentication
import Cluster
import Configuration
import EventLoop
import Feeds
import Gateway
import ThreadMessages
import Model
import Store
import Synchronization
import Crypto
import Telemetry

// The parts of a start other than the threads: the folder, the certificate, the listeners.
extension Application {
    static func loadCertificate(
        _ configuration: ServerConfiguration, _ log: ServerLog
    ) throws -> (certificate: ServerCertificate, context: TLSContext)? {
        switch (configuration.tlsCertificate, configuration.tlsKey) {
        case (nil, nil): return nil
        case (let certificatePath?, let keyPath?):
            do {
                let certificate = try ServerCertificate(certificatePath: certificatePath, keyPath: keyPath)
                return (certificate, try certificate.load(log))
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

    /// Locks the folder for this server, and reads or makes its secret. A member of a cluster makes none, and gets the
    /// database of the cluster where it needs it.
    static func openFolder(
        _ configuration: ServerConfiguration, _ log: ServerLog, isSimulated: Bool = false
    ) throws -> (DataDirectory, ServerSecret) {
        let isMember = configuration.cluster.hasJournal && !isSimulated
        if isMember || configuration.cluster.standbyOf != nil { try ClusterSecrets(configuration).check() }
        let (directory, secret) = try openFolder(configuration.data, log)
        guard isMember else {
            if isSimulated { return (directory, secret) }
            try StandbyStart(configuration: configuration, directory: directory, secret: secret, log: log).prepare()
            return (directory, secret)
        }
        let start = ClusterStart(
            configuration: configuration, directory: directory, secret: secret, log: log
        ) { try? HeartbeatMessage($0).heartbeat }
        try start.prepare()
        return (directory, secret)
    }

    static func openFolder(_ path: String, _ log: ServerLog) throws -> (DataDirectory, ServerSecret) {
        do {
            let directory = try DataDirectory(path)
            if let mode = directory.modeBefore {
                log.warning(
                    "other users could open the folder; now only its owner can",
                    ["folder": path, "mode": String(mode, radix: 8)])
            }
            return (directory, try ServerSecret.loadOrCreate(inFolder: path))
        } catch let problem as DataDirectory.Problem {
            throw StartProblem(isConfiguration: false, problem.description + FolderOwner.hint(path))
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }

    /// The secrets that sign no more, but whose tokens are accepted.
    static func olderSecrets(_ folder: String) throws(StartProblem) -> [ServerSecret] {
        do {
            return try ServerSecret.loadAll(fromFolder: folder).map { Array($0.dropFirst()) } ?? []
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
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

    static func resolve(_ texts: [String]) throws -> [SocketAddress] {
        try texts.map { text in
            do {
                return try SocketAddress(text)
            } catch {
                throw StartProblem(
                    isConfiguration: true,
                    "listen: '\(text)' is not an address; write HOST:PORT, such as 127.0.0.1:8080")
            }
        }
    }

    /// Opens the doors: all loops serve the ordinary ones. The first loop alone serves the figures: a scrape is no load.
    ///
    /// - Returns: their addresses, as they are bound.
    /// - Throws: `StartProblem`.
    static func listen(
        on addresses: [SocketAddress], figuresOn figures: [String], _ loops: [Mailbox<LoopMessage>], _ stage: LoopStage?
    ) throws -> [String] {
        let own = try listen(on: try resolve(figures), isForFigures: true, Array(loops.prefix(1)), stage)
        return (try listen(on: addresses, loops, stage) + own).map(\.description)
    }

    /// The check of tokens, by the server's secrets, and by the keys of foreign issuers.
    static func verifier(
        _ secret: ServerSecret, _ configuration: ServerConfiguration, audience: String?
    ) throws -> TokenVerifier {
        TokenVerifier(
            secret: secret, older: try olderSecrets(configuration.data), audience: audience,
            issuers: configuration.foreignIssuers.map(\.trusted))
    }

    /// Makes every loop listen: the first one chooses the ports, the others share them.
    static func listen(
        on addresses: [SocketAddress], isForFigures: Bool = false, _ loops: [Mailbox<LoopMessage>], _ stage: LoopStage?
    ) throws -> [SocketAddress] {
        var bound = addresses
        for loop in loops {
            let answer = ListenAnswer()
            loop.post(.listen(bound, isForFigures: isForFigures, answer))
            stage?.settle()
            switch answer.wait() {
            case .success(let addresses): bound = addresses
            case .failure(let error):
                let names = bound.map(\.description).joined(separator: ", ")
                throw StartProblem(isConfiguration: false, "cannot listen on \(names): \(error)")
            }
        }
        return bound
    }
}
