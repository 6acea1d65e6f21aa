import ClientProtocol
import Model
import Store
import Synchronization
import Telemetry

// A failed commit is no reason to end the process. SQLite rolls back, and what the next commit writes stands in the
// place of what could not be flushed: its pages are dirty again, so that a successful fsync behind it means what it
// says, and nothing that was acknowledged before is touched. Only a process that starts must not believe the log it
// finds; see `LeftLog`. Until a try succeeds, writes are refused without touching the disk.
extension WriterThread {
    /// A commit failed: says so, once for each kind of fault.
    func noteFailure(_ error: any Error, commands: Int) {
        let fault = writer.fault(of: error)
        log.error("commit failed", ["error": "\(error)", "commands": "\(commands)"])
        metrics.commitFailures.add(1, ordering: .relaxed)
        if storage.fault != fault {
            tellRefused(fault)
        }
        storage.set(fault)
        metrics.storageFailing.store(1, ordering: .relaxed)
        if fault == .unreadable { damageCheck.begin() }
    }

    /// From now on writes are refused; that they are taken again is told, too.
    private func tellRefused(_ fault: StorageFault) {
        log.error(
            "writes are refused", ["reason": fault.reason, "mayPass": "\(fault.mayPass)"], isChange: true)
    }

    /// The check of the database is over: what it has shown to be damaged is not written any more.
    func takeFinding(_ finding: DatabaseCheck.Finding) {
        guard damageCheck.isDamage(finding) else { return }
        let fault = StorageFault.damaged
        tellRefused(fault)
        storage.set(fault)
        metrics.storageFailing.store(1, ordering: .relaxed)
    }

    /// Tries to write after a failure.
    ///
    /// - Returns: true when there is nothing more to try: it succeeded, or no try can.
    func triesToWrite() -> Bool {
        guard let fault = storage.fault else { return true }
        guard fault.mayPass else { return true }
        do {
            try storage.duringCommit { try writer.probe() }
        } catch {
            noteFailure(error, commands: 0)
            return false
        }
        storage.set(nil)
        metrics.storageFailing.store(0, ordering: .relaxed)
        log.info(
            "writes are accepted again",
            ["refused": "\(metrics.writesRefused.load(ordering: .relaxed))", "after": fault.reason])
        return true
    }

    /// From when on schedules fire: at once, unless the newest write is so long ago that the machine's clock may
    /// be wrong. What fires is sent, and what expires is taken away; neither can be undone.
    static func firesFrom(_ writer: Writer, at now: Timestamp, _ log: ServerLog) -> Int64 {
        do {
            guard let newest = try writer.read({ try $0.keys.newestTime() }),
                now.milliseconds - newest.milliseconds > Limits.clockGapMilliseconds
            else { return SteadyTime.now }
            log.warning("the clock is far ahead of the newest write; scheduled work waits", ["newest": newest.text])
        } catch {
            log.error("the newest write cannot be read", ["error": "\(error)"])
        }
        return SteadyTime.now + Limits.clockHeldMilliseconds
    }

    /// The newest time of what goes with time, before this process writes any: its clock may be behind.
    ///
    /// A process that ends within its first second has noted no mark of the log, and what it wrote says alone what time it
    /// was. The next one may have run with a clock that was behind, and have noted no mark either.
    static func newestStored(_ writer: Writer, _ log: ServerLog) -> Timestamp? {
        do {
            return try writer.read {
                try [$0.retention.newestTime(), $0.keys.newestTime(among: Limits.keysKeptMin)]
            }.compactMap { $0 }.max()
        } catch {
            log.error("the newest of the stored times cannot be read", ["error": "\(error)"])
            return nil
        }
    }

    /// The machine's clock has jumped, or is believed again: says so.
    ///
    /// - Parameter held: by how many milliseconds it is ahead of the time gone by; nil when it is believed.
    /// - Returns: whether it is not believed.
    func noteClock(_ held: Int64?, wasHeld: Bool) -> Bool {
        guard (held != nil) != wasHeld else { return wasHeld }
        metrics.clockHeld.store(held == nil ? 0 : 1, ordering: .relaxed)
        if let held {
            log.warning(
                "the machine's clock has jumped; the server continues with the old time",
                ["seconds": "\(held / 1000)", "forSeconds": "\(Limits.clockHeldMilliseconds / 1000)"])
        } else {
            log.info("the server uses the machine's clock again")
        }
        return held != nil
    }
}

/// What a client is told whose write is not committed: to repeat it, always.
///
/// - Confinement: any
enum StorageRefusal {
    /// The commit failed. Whether it is stored is not known: the disk may have it in spite of its answer.
    static func failed(_ fault: StorageFault) -> Refusal {
        Refusal(
            .unavailable, "\(fault.reason): it is not known whether the write was done; repeat it with the same key",
            retryAfterMilliseconds: 1000)
    }

    /// The commit was not tried, since the one before it failed. That of an earlier try with the same key may stand.
    static func untried(_ fault: StorageFault) -> Refusal {
        Refusal(
            .unavailable, "\(fault.reason): no write is accepted now; repeat it with the same key",
            retryAfterMilliseconds: 1000)
    }
}
