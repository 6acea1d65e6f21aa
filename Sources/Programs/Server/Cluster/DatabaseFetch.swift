import Authentication
import Configuration
import EventLoop
internal import Foundation
import Journal
import Model
import Outbound
import Store
import Telemetry

/// Fetches the database of another node into a folder.
///
/// - Confinement: the thread of its ``TurnedLoop``
final class DatabaseFetch {
    /// Why there is no database from there; the folder is as it was.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private static let progressMilliseconds: Int64 = 5000

    private let offer: NodeOffer
    private let turned: TurnedLoop
    private let configuration: ServerConfiguration
    private let directory: DataDirectory
    private let secret: ServerSecret
    private let log: ServerLog
    private let patience: ClusterStart.Patience
    private var result: Result<OutboundAnswer, OutboundFailure>?
    /// An error of this node's disk.
    private var writing: (any Error)?
    private var heardAt: Int64 = 0
    private var loggedAt: Int64 = 0
    private var startedAt: Int64 = 0
    private var isBusy = false

    init(
        from offer: NodeOffer, on turned: TurnedLoop, _ configuration: ServerConfiguration, _ directory: DataDirectory,
        _ secret: ServerSecret, _ log: ServerLog, _ patience: ClusterStart.Patience
    ) {
        self.offer = offer
        self.turned = turned
        self.configuration = configuration
        self.directory = directory
        self.secret = secret
        self.log = log
        self.patience = patience
    }

    /// Fetches, checks, and puts the database in its place.
    ///
    /// - Parameter check: Whether this database is the one that is wanted.
    func run(_ check: (FoundDatabase) throws(Problem) -> Void) throws(Problem) {
        let arrival: Arrival
        do {
            arrival = try Arrival(in: directory)
        } catch {
            throw Problem(description: "\(directory.path) takes no file: \(error)")
        }
        do {
            try fetch(into: arrival)
            let found = try arrival.check()
            try check(found)
            try arrival.putInPlace()
            log.info(
                "took over the database of another node",
                [
                    "from": offer.description, "entry": "\(found.place.sequence)", "head": "\(found.head)",
                    "bytes": "\(arrival.bytes)", "seconds": "\((turned.loop.now - startedAt) / 1000)",
                ])
        } catch {
            arrival.abandon()
            throw error as? Problem ?? Problem(description: "\(error)")
        }
    }

    private func fetch(into arrival: Arrival) throws(Problem) {
        let client: OutboundClient
        do {
            client = try OutboundClient(
                on: turned.loop, policy: .anywhere, authorities: configuration.outboundAuthorities)
        } catch {
            throw Problem(description: "\(error)")
        }
        turned.loop.turn()
        startedAt = turned.loop.now
        heardAt = startedAt
        loggedAt = startedAt
        log.info("fetching the database of another node", ["from": offer.description])
        client.send(
            request,
            taking: { [unowned self] in take($0, into: arrival) },
            { [unowned self] in result = $0 })
        turned.wait(milliseconds: .max / 2, isBusy: { takeBusy() }) {
            if turned.loop.now - heardAt > patience.stallMilliseconds, result == nil { result = .failure(.timedOut) }
            return result != nil
        }
        let outcome = result
        client.close()
        if let writing { throw Problem(description: "\(directory.path) takes no more bytes: \(writing)") }
        try judge(outcome, arrival)
    }

    private func judge(
        _ outcome: Result<OutboundAnswer, OutboundFailure>?, _ arrival: Arrival
    ) throws(Problem) {
        switch outcome {
        case .success(let answer) where answer.status == 200: return
        case .success(let answer) where answer.status == 401:
            throw Problem(
                description: "it refuses this node's token: the file 'secret' must be the same on all nodes, and their "
                    + "clocks must agree")
        case .success(let answer) where answer.status == 403:
            throw Problem(
                description:
                    "it does not know tokens of nodes that join: its program is older than this one; this node "
                    + "joins when one of the others runs this program, too")
        case .success(let answer):
            let start = String(decoding: answer.body.prefix(300), as: UTF8.self)
            throw Problem(description: "it answers with status \(answer.status): \(start)")
        case .failure(.timedOut):
            throw Problem(
                description: "it sent nothing for \(patience.stallMilliseconds / 1000) s, after \(arrival.bytes) bytes")
        case .failure(let failure):
            throw Problem(description: "the copy broke off after \(arrival.bytes) bytes: \(failure)")
        case nil: throw Problem(description: "there was no answer")
        }
    }

    private func take(_ piece: [UInt8], into arrival: Arrival) -> Bool {
        do {
            try arrival.write(piece)
        } catch {
            writing = error
            return false
        }
        isBusy = true
        heardAt = turned.loop.now
        if heardAt - loggedAt >= Self.progressMilliseconds {
            loggedAt = heardAt
            log.info(
                "fetching the database of another node",
                ["bytes": "\(arrival.bytes)", "seconds": "\((heardAt - startedAt) / 1000)"])
        }
        return true
    }

    /// Whether bytes came in the last turn.
    private func takeBusy() -> Bool {
        defer { isBusy = false }
        return isBusy
    }

    private var request: OutboundRequest {
        let cluster = configuration.cluster
        let name = (try? cluster.nodeName()).map { "node.\($0)" } ?? "node"
        let fields = OutboundRequest.fields(of: .join, as: name, secret, at: configuration.clock.now())
        return OutboundRequest(
            url: offer.address + "/v1/backup", fields: fields, connectMilliseconds: 5000,
            totalMilliseconds: 24 * 3_600_000, answerBytesMax: .max)
    }
}

@available(*, unavailable)
extension DatabaseFetch: Sendable {}
