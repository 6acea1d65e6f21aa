/// The tables of feeds.
///
/// - Confinement: any
enum FeedTables {
    static let feeds = TableDeclaration(
        key: ["name"], [.texts("name", "row", "key", are: .operators), .numbers("seq")],
        export: .omitted("has no person"), kept: .state("until an administrator deletes the feed"))

    static let state = TableDeclaration(
        key: ["feed", "target"],
        [
            .texts("feed", are: .operators), .texts("target", "etag", "modified", are: .foreign), .numbers("checked"),
        ],
        export: .omitted("has no person"), kept: .state("until the feed asks for the thing no more"))
}
