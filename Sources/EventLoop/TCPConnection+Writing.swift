import CUV
import Glibc

extension TCPConnection {
    /// Bytes written that the kernel has not accepted yet; always exact.
    package var queuedBytes: Int {
        waitingBytes + unsentBytes
    }

    /// The bytes of these in a pending write request.
    private var unsentBytes: Int {
        state == .closed ? 0 : unsafe uv_stream_get_write_queue_size(asStream(handle))
    }

    /// Appends bytes, by reference, to the output at the end of this turn. Has no effect once closing.
    package func write(_ bytes: [UInt8]) {
        assert(loop.isCurrent)
        guard isOpen, !bytes.isEmpty else { return }
        waitingBytes += bytes.count
        if let stall, layer == nil {
            stall.queue.append(bytes)
        } else {
            corkTail = loop.turnEnd.cork.append(bytes, after: corkTail)
            if corkHead == Cork.none {
                corkHead = corkTail
                requestFlush()
            }
        }
        if waitingBytes > highMark { isCongested = true }
    }

    /// Writes bytes that many connections get, when no more are expected in this turn. They leave at once if nothing
    /// else waits. The array is only lent, because all loops would change its reference count.
    package func writeAtOnce(_ bytes: borrowing [UInt8]) {
        assert(loop.isCurrent)
        guard state == .open, corkHead == Cork.none, stall == nil, layer == nil, !bytes.isEmpty else {
            return write(copy bytes)
        }
        guard let taken = unsafe bytes.withUnsafeBytes({ unsafe offer($0) }), taken < bytes.count else { return }
        waitingBytes += bytes.count - taken
        var queue = ChunkQueue()
        queue.append(copy bytes)
        queue.consume(taken)
        wait(for: queue)
        if waitingBytes > highMark { isCongested = true }
    }

    /// Asks for `flushCork` at the turn's end.
    func requestFlush() {
        guard !isFlushRequested else { return }
        isFlushRequested = true
        loop.turnEnd.addCorked(self)
    }

    /// Writes the turn's bytes: one call for one chunk, or for many small ones. Calls no delegate.
    func flushCork() {
        isFlushRequested = false
        if let layer { return flushCork(through: layer) }
        let head = corkHead
        let isSingle = head == corkTail
        corkHead = Cork.none
        corkTail = Cork.none
        guard state.rawValue < State.closing.rawValue, head != Cork.none else { return }
        // Nothing else waits: while the socket is full, written bytes are in the stall's queue.
        let count = waitingBytes
        if isSingle || count <= Loop.gatherBytesMax {
            guard let taken = isSingle ? trySend(single: head) : trySend(chain: head) else { return }
            if taken < count { wait(forChain: head, without: taken) }
        } else {
            var queue = ChunkQueue()
            loop.turnEnd.cork.take(chain: head, into: &queue)
            guard writeOut(&queue) else { return }
            if !queue.isEmpty { wait(for: queue) }
        }
        noteQueueFell(deferring: true)
    }

    /// The most common case, without a queue or a copy: one shared frame, one write.
    private func trySend(single index: UInt32) -> Int? {
        unsafe loop.turnEnd.cork.withBytes(of: index) { unsafe trySend($0) }
    }

    /// A few small chunks, copied together.
    private func trySend(chain head: UInt32) -> Int? {
        let count = unsafe loop.turnEnd.cork.copy(chain: head, to: loop.gatherBuffer)
        return unsafe trySend(UnsafeRawBufferPointer(rebasing: loop.gatherBuffer[..<count]))
    }

    private func wait(forChain head: UInt32, without taken: Int) {
        var queue = ChunkQueue()
        loop.turnEnd.cork.take(chain: head, into: &queue)
        queue.consume(taken)
        wait(for: queue)
    }

    /// One array without the cork, one write.
    func flush(single chunk: [UInt8]) {
        guard let taken = unsafe chunk.withUnsafeBytes({ unsafe trySend($0) }), taken < chunk.count else { return }
        var queue = ChunkQueue()
        queue.append(chunk)
        queue.consume(taken)
        wait(for: queue)
    }

    /// Writes from the queue until it is empty or the kernel accepts no more.
    /// - Returns: false when the connection failed and is closing.
    private func writeOut(_ queue: inout ChunkQueue) -> Bool {
        while !queue.isEmpty {
            let gathered = unsafe queue.gather(into: loop.gatherBuffer)
            guard let taken = tryWrite(gathered) else { return false }
            queue.consume(taken)
            if taken < gathered.byteCount { break }
        }
        return true
    }

    /// Sends waiting bytes.
    /// - Returns: the number of accepted bytes, perhaps 0; nil when the connection failed and is closing.
    private func trySend(_ bytes: UnsafeRawBufferPointer) -> Int? {
        unsafe offer(bytes).map(took)
    }

    /// One `send`, which is cheaper than the `write` of `uv_try_write`; only while libuv has no request.
    /// - Returns: the number of accepted bytes, perhaps 0; nil when the connection failed and is closing.
    private func offer(_ bytes: UnsafeRawBufferPointer) -> Int? {
        loop.writeCalls += 1
        // libuv finds out if the connect fails.
        guard state != .connecting else { return 0 }
        let result = unsafe Descriptor.send(bytes, on: descriptor)
        return result < 0 ? failed(Int32(truncatingIfNeeded: result)) : result
    }

    /// One `uv_try_write`.
    /// - Returns: the number of accepted bytes, perhaps 0; nil when the connection failed and is closing.
    private func tryWrite(_ gathered: ChunkQueue.Gathered) -> Int? {
        if gathered.copied == 0 {
            return unsafe gathered.lent.withUnsafeBytes {
                unsafe trySend(UnsafeRawBufferPointer(rebasing: $0[min(gathered.lentOffset, $0.count)...]))
            }
        }
        loop.writeCalls += 1
        let result = unsafe gathered.tryWrite(to: asStream(handle), copies: loop.gatherBuffer)
        if result == UV_EAGAIN.rawValue { return 0 }
        return result < 0 ? failed(result) : took(Int(result))
    }

    /// Counts bytes that the kernel has accepted.
    private func took(_ count: Int) -> Int {
        waitingBytes -= count
        stall?.progressAt = loop.now
        return count
    }

    /// Closes after a failed write.
    private func failed(_ code: Int32) -> Int? {
        close(hasPeerEnded ? nil : UVError(code: code))
        return nil
    }

    private func wait(for queue: consuming ChunkQueue) {
        let stall = Stall(queue: queue, at: loop.now)
        self.stall = stall
        wait(on: stall)
    }

    private func wait(on stall: Stall) {
        loop.writeCalls += 1
        let cost = stall.cost
        let result = unsafe stall.wait(on: handle)
        if result < 0 { return close(UVError(code: result)) }
        loop.queuedBytes += stall.cost - cost
        waitingBytes -= stall.probeBytes
        stall.unsentSeen = unsentBytes
    }

    /// The socket had room for the request: the rest is written from the shared arrays.
    func probeWritten(_ status: Int32) {
        loop.preconditionOnLoop()
        guard let stall else { return }
        stall.probeEnded()
        guard state.rawValue < State.closing.rawValue else { return }
        if status < 0 { return close(hasPeerEnded ? nil : UVError(code: status)) }
        stall.progressAt = loop.now
        guard writeOut(&stall.queue) else { return }
        if stall.queue.isEmpty {
            self.stall = nil
        } else {
            wait(on: stall)
        }
        noteQueueFell(deferring: false)
    }

    /// Acts on a shrunken queue: `drained`, or the next step of `closeAfterFlush`.
    func noteQueueFell(deferring: Bool) {
        if isCongested, isOpen, queuedBytes <= lowMark {
            deferring ? loop.turnEnd.addDrained(self) : tellDrained()
        }
        if state == .flushing, queuedBytes == 0 { flushed() }
    }

    /// Calls the delegate's `drained`, unless the queue has grown again or the connection is ending.
    func tellDrained() {
        guard isCongested, isOpen, queuedBytes <= lowMark else { return }
        isCongested = false
        delegate?.drained(on: self)
    }

    /// How long the kernel has accepted none of the queued bytes, in milliseconds; 0 when none are queued.
    ///
    /// Progress inside of a pending write request is noticed when this is read: read it every few seconds.
    package var stalledMilliseconds: Int64 {
        assert(loop.isCurrent)
        // Bytes written in this turn have not been offered to the kernel yet.
        guard let stall else { return 0 }
        return stall.milliseconds(unsentBytes: unsentBytes, at: loop.now)
    }
}
