import EventLoop

/// What other threads tell a reader.
///
/// - Confinement: any
package enum ReaderMessage: Sendable {
    case read(ReadOrder)
    case stop
}
