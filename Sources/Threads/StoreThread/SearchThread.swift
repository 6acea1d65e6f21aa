package import EventLoop
import Glibc
import Model
package import Searching
import Services
package import Store
import Synchronization
package import Telemetry
package import ThreadMessages

/// The thread that keeps the index of messages: beside the commits, in slices, and with a low priority.
///
/// - Confinement: store (its own thread)
package final class SearchThread {
    private let reader: Reader
    private let openIndex: () throws -> SearchIndex
    /// Nil as long as the file cannot be opened, for example on a full disk: the server serves without it.
    private var index: SearchIndex?
    private var indexing: SearchIndexing?
    private let metrics: Metrics
    private let log: ServerLog
    private var timer: LoopTimer?
    private var isFailing = false
    /// The begin of the walk over older messages, and its last line in the log.
    private var began = SteadyTime.now
    private var lastLine = SteadyTime.now
    /// The last merge that took removed words from the pages, and how many there were when it began; nil when none runs.
    private var lastMerge = SteadyTime.now
    private var merging: Int64?
    /// How fast the log grows.
    private var pace = SearchPace()
    /// Whether a merge begins as soon as there is something to take out.
    private var mustMerge = false

    package init(
        reader: Reader, metrics: Metrics, log: ServerLog, on loop: Loop,
        openIndex: @escaping () throws -> SearchIndex
    ) {
        self.reader = reader
        self.openIndex = openIndex
        self.metrics = metrics
        self.log = log
        // Of this thread alone: Linux takes a thread for a process here. Without the right it stays as it is.
        _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, Int32(SearchLimits.niceness))
        // Questions find the file from the start on. If it cannot be opened now, `work` tries again, and says why.
        _ = try? opened()
        timer = LoopTimer(on: loop) { [unowned self] in work() }
        timer?.start(afterMilliseconds: 1)
    }

    /// Takes what other threads say.
    ///
    /// - Returns: true when it was asked to stop, and has.
    package func receive(_ messages: [SearchMessage]) -> Bool {
        for message in messages {
            switch message {
            case .merge:
                mustMerge = true
                metrics.awaitsSearchMerge.store(true, ordering: .relaxed)
            case .stop: return stop()
            }
        }
        return false
    }

    private func stop() -> Bool {
        timer?.close()
        timer = nil
        do {
            try index?.close()
            try reader.close()
        } catch {
            log.error("the search did not close cleanly", ["error": "\(error)"])
        }
        return true
    }

    private func work() {
        do {
            let (index, indexing) = try opened()
            try mend(index)
            let began = SteadyTime.now
            let isMore = try step(index, indexing)
            isFailing = false
            let pause = pace.pause(
                after: SteadyTime.now - began, indexing.head, lag: indexing.lag, waiting: metrics.writesPending.now,
                at: SteadyTime.now)
            timer?.start(afterMilliseconds: isMore ? pause : SearchLimits.pauseMilliseconds)
        } catch {
            if !isFailing { log.error("messages cannot be indexed for the search", ["error": "\(error)"]) }
            isFailing = true
            do {
                if let index { try mend(index, after: error) }
            } catch {
                log.error("the index of messages cannot be made", ["error": "\(error)"])
            }
            timer?.start(afterMilliseconds: SearchLimits.retryMilliseconds)
        }
        metrics.searchLag.set(Int(indexing?.lag ?? 0))
        metrics.searchRemoved.set(Int(indexing?.removed ?? 0))
    }

    private func opened() throws -> (SearchIndex, SearchIndexing) {
        if let index, let indexing { return (index, indexing) }
        let index = try openIndex()
        let indexing = SearchIndexing(reader: reader, index: index)
        (self.index, self.indexing) = (index, indexing)
        return (index, indexing)
    }

    /// - Returns: whether there is more to do at once.
    private func step(_ index: SearchIndex, _ indexing: SearchIndexing) throws -> Bool {
        switch try indexing.step() {
        case .began(let head):
            began = SteadyTime.now
            if head > .zero { log.info("building the index of messages", ["head": "\(head)"]) }
            return true
        case .more:
            if SteadyTime.now - lastLine > SearchLimits.lineMilliseconds {
                lastLine = SteadyTime.now
                log.info("indexing messages", ["older": "\(indexing.walked)", "lag": "\(indexing.lag)"])
            }
            return true
        case .built:
            // The log of SQLite has grown with what was walked over.
            try index.merged(0)
            if indexing.walked > 0 {
                log.info(
                    "built the index of messages",
                    ["messages": "\(indexing.walked)", "milliseconds": "\(SteadyTime.now - began)"])
            }
            return true
        case .idle:
            return try merge(index, indexing)
        }
    }

    /// Takes the words of removed texts from the pages, some pages at a time.
    private func merge(_ index: SearchIndex, _ indexing: SearchIndexing) throws -> Bool {
        if let removed = merging {
            guard try !index.merge(isFirst: false, pages: SearchLimits.mergePages) else { return true }
            merging = nil
            lastMerge = SteadyTime.now
            try index.merged(removed)
            // Others may have taken out more meanwhile. For a merge that was asked for meanwhile, this one began too early.
            if !mustMerge { metrics.awaitsSearchMerge.store(false, ordering: .relaxed) }
            return mustMerge
        }
        guard indexing.removed > 0 else {
            mustMerge = false
            metrics.awaitsSearchMerge.store(false, ordering: .relaxed)
            return false
        }
        guard mustMerge || SteadyTime.now - lastMerge > SearchLimits.mergeMilliseconds else { return false }
        mustMerge = false
        merging = indexing.removed
        _ = try index.merge(isFirst: true, pages: SearchLimits.mergePages)
        return true
    }

    /// Makes a damaged index again.
    private func mend(_ index: SearchIndex, after error: (any Error)? = nil) throws {
        guard try index.mend(after: error) else { return }
        merging = nil
        log.warning("the index of messages was damaged; it is built again")
    }
}

@available(*, unavailable)
extension SearchThread: Sendable {}
