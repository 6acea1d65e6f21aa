import CExpat

/// expat itself.
///
/// - Confinement: any
package enum FeedLibrary {
    /// For example `2.5.0`.
    package static var version: String {
        // expat gives it as `expat_2.5.0`.
        String(unsafe String(cString: XML_ExpatVersion()).drop { !$0.isNumber })
    }
}
