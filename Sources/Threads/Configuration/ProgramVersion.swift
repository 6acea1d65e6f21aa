/// The version of the program and of its libraries for clients. It stands here alone, and everything else reads it: `--version`,
/// the member `server` of `hello`, `GET /v1/stats`, what nodes say to each other, and the package of `watchwise sdk`.
///
/// `deploy/release` changes it. A text with `-dev` is that of no release: the next one is to have the number before it.
///
/// - Confinement: any
package enum ProgramVersion {
    /// By the rules of Semantic Versioning.
    package static let current = "0.9.0-dev"
}
