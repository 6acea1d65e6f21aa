/// Messages to the thread that indexes messages for the search.
///
/// - Confinement: any
package enum SearchMessage: Sendable {
    case stop
}
