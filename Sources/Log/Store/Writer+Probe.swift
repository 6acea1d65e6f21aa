extension Writer {
    /// Characters that a try writes: enough that a disk with room for a few bytes is still called full.
    private static var probeCharacters: Int { 64 * 1024 }

    /// Writes something of no meaning and flushes it, to learn whether writing works again.
    ///
    /// - Throws: `DatabaseError` when it does not.
    package func probe() throws {
        let committed = try commit([Self.probeCharacters], by: nil) { count, transaction -> (any Error)? in
            try transaction.access.run(NodeWrites.probe, [count / 2])
            return nil
        } refuse: { error in
            error
        }
        for item in committed.items {
            if let error = item.outcome { throw error }
        }
    }
}
