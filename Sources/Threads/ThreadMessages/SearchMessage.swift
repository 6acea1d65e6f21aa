/// Messages to the thread that indexes messages for the search.
///
/// - Confinement: any
package enum SearchMessage: Sendable {
    /// Words of removed texts are to leave the file now, because a person was erased.
    case merge
    case stop
}
