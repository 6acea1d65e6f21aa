package import Log

extension Tables {
    package var feeds: FeedTable<Access> { FeedTable(access: access) }
}
