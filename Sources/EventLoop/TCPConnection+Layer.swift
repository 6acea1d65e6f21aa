extension TCPConnection {
    /// The time for the last bytes of a broken layer, in milliseconds.
    private static let lastWordMilliseconds: Int64 = 1000

    /// Puts a layer between socket and delegate; it cannot be removed. To be called in `onAccept`, right after
    /// `connect`, or after bytes that were not for the layer, as long as nothing was written.
    package func install(_ layer: any TCPConnectionLayer) {
        assert(loop.isCurrent)
        precondition(self.layer == nil && queuedBytes == 0, "a layer comes before the first byte")
        self.layer = layer
        // A client's layer begins the handshake.
        requestFlush()
    }

    /// Bytes of incomplete records that the layer keeps.
    package var layerHeldBytes: Int { layer?.heldBytes ?? 0 }

    /// When these records must be complete; `.max` when there are none.
    package var layerDeadline: Int64 { layer?.deadline ?? .max }

    /// Passes bytes to the layer that arrived before it was installed.
    package func receive(_ bytes: RawSpan) {
        if let layer { received(bytes, through: layer) } else { delegate?.received(bytes, on: self) }
    }

    /// Passes received bytes through the layer to the delegate.
    func received(_ bytes: RawSpan, through layer: any TCPConnectionLayer) {
        var plaintext = loop.takePlaintextBuffer()
        let verdict = layer.receive(bytes, into: &plaintext)
        requestFlush()
        if plaintext.isEmpty {
            delegate?.receivedPart(on: self)
        } else {
            unsafe plaintext.withUnsafeBytes { unsafe delegate?.received($0.bytes, on: self) }
        }
        loop.returnPlaintextBuffer(plaintext)
        switch verdict {
        case .goesOn: break
        case .hasEnded: closeAfterFlush()
        case .hasFailed: closeAfterFlush(timeoutMilliseconds: TCPConnection.lastWordMilliseconds)
        }
    }

    /// Passes the turn's writes through the layer to the socket. Calls no delegate.
    func flushCork(through layer: any TCPConnectionLayer) {
        let head = corkHead
        corkHead = Cork.none
        corkTail = Cork.none
        guard state.rawValue < State.lingering.rawValue else { return }
        let plaintext = loop.turnEnd.cork.join(chain: head)
        waitingBytes -= plaintext.count
        let sealed = layer.seal(plaintext, isLast: state == .flushing)
        if !sealed.isEmpty {
            waitingBytes += sealed.count
            if let stall {
                stall.queue.append(sealed)
            } else {
                flush(single: sealed)
            }
        }
        noteQueueFell(deferring: true)
    }
}

extension Loop {
    /// Takes the shared buffer, which is empty.
    fileprivate func takePlaintextBuffer() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &plaintextBuffer)
        return taken
    }

    /// Gives it back, with its capacity.
    fileprivate func returnPlaintextBuffer(_ buffer: consuming [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        plaintextBuffer = buffer
    }
}
