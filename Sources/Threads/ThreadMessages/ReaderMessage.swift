/// Messages to a reader.
///
/// - Confinement: any
package enum ReaderMessage: Sendable {
    case read(ReadOrder)
    case stop
}
