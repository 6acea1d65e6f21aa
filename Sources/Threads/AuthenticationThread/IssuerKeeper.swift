import Authentication
package import Configuration
package import EventLoop
import Model
package import Outbound
import Synchronization
package import Telemetry
package import ThreadMessages

/// Keeps the keys of foreign issuers and sends them to every loop: it reads or fetches them when they are due, and when
/// a token names an unknown key.
///
/// Old keys stay valid until new ones have arrived, so an issuer that is down locks nobody out.
///
/// - Confinement: loop
package final class IssuerKeeper {

    /// One issuer.
    private struct Source {
        var issuer: TrustedIssuer
        let keys: IssuerConfiguration.Keys
        var schedule: KeySchedule
        var file: KeySetFile?
        /// The `ETag` of the last answer with good keys, and that answer.
        var entityTag: String?
        var text: [UInt8] = []
        var hasBeenTried = false
        /// Why the last try failed; nil when it succeeded.
        var failure: String?
    }

    private let loop: Loop
    private let client: OutboundClient
    private let pace: KeyPace
    private let metrics: Metrics
    private let log: ServerLog
    private var sources: [Source]
    private let loops: [Mailbox<LoopMessage>]
    private var timer: LoopTimer?
    private var firstAttemptsOver: (() -> Void)?
    private var random = SystemRandomNumberGenerator()

    package init(
        of issuers: [IssuerConfiguration], pace: KeyPace, client: OutboundClient,
        tellingLoops loops: [Mailbox<LoopMessage>],
        on loop: Loop, metrics: Metrics, log: ServerLog
    ) {
        self.loops = loops
        self.loop = loop
        self.client = client
        self.pace = pace
        self.metrics = metrics
        self.log = log
        sources = issuers.map { issuer in
            var source = Source(issuer: issuer.trusted, keys: issuer.keys, schedule: KeySchedule(pace, at: loop.now))
            if case .file(let path) = issuer.keys { source.file = KeySetFile(path: path) }
            return source
        }
        metrics.issuersWithoutKeys.set(sources.count)
        timer = LoopTimer(on: loop) { [unowned self] in fetchWhatIsDue() }
        timer?.start(afterMilliseconds: 0)
    }

    /// Sets a closure that is called once, when each issuer has been tried and the loops have the results.
    package func setFirstAttemptsOver(_ over: @escaping () -> Void) { firstAttemptsOver = over }

    /// Handles messages of other threads.
    ///
    /// - Returns: true when it has stopped.
    package func receive(_ messages: [IssuerMessage]) -> Bool {
        for message in messages {
            switch message {
            case .keyWanted(let issuer):
                guard let index = sources.firstIndex(where: { $0.issuer.issuer == issuer }) else { continue }
                sources[index].schedule.wanted(at: loop.now)
            case .reload:
                for index in sources.indices { sources[index].schedule.hurry(at: loop.now) }
            case .stop:
                timer?.close()
                timer = nil
                client.close()
                return true
            }
        }
        fetchWhatIsDue()
        return false
    }

    private func fetchWhatIsDue() {
        for index in sources.indices where sources[index].schedule.isDue(at: loop.now) {
            sources[index].schedule.begin(at: loop.now)
            metrics.keyFetches.add(1)
            switch sources[index].keys {
            case .file: readFile(index)
            case .url(let url): fetch(url, index)
            }
        }
        let next = sources.filter { !$0.schedule.isUnderWay }.map(\.schedule.dueAt).min()
        if let next { timer?.start(afterMilliseconds: next - loop.now) }
        guard let over = firstAttemptsOver, sources.allSatisfy(\.hasBeenTried) else { return }
        firstAttemptsOver = nil
        over()
    }

    private func readFile(_ index: Int) {
        do throws(KeySetFile.Problem) {
            let keys = try sources[index].file?.readIfChanged()
            if keys != nil || sources[index].failure == nil {
                succeeded(index, keys, fresh: pace.fileMilliseconds)
            }
        } catch {
            failed(index, error.description)
        }
        // Reading a file again costs little, also one that is missing, or that was bad and has not changed.
        sources[index].schedule.succeeded(at: loop.now, fresh: pace.fileMilliseconds)
    }

    private func fetch(_ url: String, _ index: Int) {
        let tag = sources[index].entityTag.map { [OutboundRequest.Field("If-None-Match", $0)] } ?? []
        let request = OutboundRequest(
            url: url, fields: [OutboundRequest.Field("Accept", "application/json")] + tag,
            connectMilliseconds: min(IssuerKeyLimits.connectMilliseconds, pace.answerMilliseconds),
            totalMilliseconds: pace.answerMilliseconds, answerBytesMax: JSONWebKeySet.bytesMax)
        client.send(request) { [unowned self] result in
            // The client is closed, and the thread has no work left.
            guard timer != nil else { return }
            switch result {
            case .success(let answer): take(answer, index)
            case .failure(let failure): failed(index, failure.description)
            }
            fetchWhatIsDue()
        }
    }

    private func take(_ answer: OutboundAnswer, _ index: Int) {
        let fresh = pace.fresh(cacheControl: answer["Cache-Control"], age: answer["Age"])
        let isSame = answer.status == 304 || (answer.status == 200 && answer.body == sources[index].text)
        if isSame, sources[index].issuer.keys != nil { return succeeded(index, nil, fresh: fresh) }
        guard answer.status == 200 else { return failed(index, "it answered with status \(answer.status)") }
        do throws(JSONWebKeySet.Problem) {
            let keys = try JSONWebKeySet(parsing: answer.body)
            sources[index].text = answer.body
            sources[index].entityTag = answer["ETag"].flatMap(Self.tag)
            succeeded(index, keys, fresh: fresh)
        } catch {
            failed(index, error.description)
        }
    }

    /// A tag that can be sent back in a request.
    private static func tag(_ text: String) -> String? {
        text.utf8.count <= 256 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) } ? text : nil
    }

    /// - Parameter keys: nil when the present keys are still valid.
    private func succeeded(_ index: Int, _ keys: JSONWebKeySet?, fresh: Int64) {
        sources[index].schedule.succeeded(at: loop.now, fresh: fresh)
        sources[index].hasBeenTried = true
        if let keys { sources[index].issuer.keys = keys }
        let issuer = sources[index].issuer
        if keys != nil || sources[index].failure != nil {
            let count = issuer.keys?.keys.count ?? 0
            log.info("fetched the keys of an issuer", ["issuer": issuer.issuer, "keys": "\(count)"])
        }
        for skipped in keys?.skipped ?? [] {
            log.warning(
                "skipped a key of an issuer: tokens that it signed are refused",
                [
                    "issuer": issuer.issuer, "key": "\(skipped.number)", "kid": skipped.keyID ?? "",
                    "error": "\(skipped.problem)",
                ])
        }
        sources[index].failure = nil
        metrics.issuersWithoutKeys.set(sources.count { $0.issuer.keys == nil })
        for loop in loops { loop.post(.issuer(issuer)) }
    }

    private func failed(_ index: Int, _ reason: String) {
        sources[index].schedule.failed(at: loop.now, using: &random)
        sources[index].hasBeenTried = true
        metrics.keyFetchFailures.add(1)
        let isKnown = sources[index].failure == reason
        sources[index].failure = reason
        guard !isKnown else { return }
        let issuer = sources[index].issuer
        log.warning(
            issuer.keys == nil
                ? "the keys of an issuer cannot be fetched: its tokens cannot be "
                    + "verified" : "the keys of an issuer cannot be fetched: the old keys stay in use",
            ["issuer": issuer.issuer, "error": reason])
    }
}

@available(*, unavailable)
extension IssuerKeeper: Sendable {}
