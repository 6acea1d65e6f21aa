extension ServerConfiguration {
    /// Checks settings that belong together.
    ///
    /// - Throws: ``ConfigurationProblem`` naming the option that is missing or wrong.
    func checkTogether() throws(ConfigurationProblem) {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            let (given, missing) = tlsKey == nil ? ("certificate", "key") : ("key", "certificate")
            throw ConfigurationProblem(place: "--tls-\(missing)", message: "is required with --tls-\(given)")
        }
        let names = foreignIssuers.map(\.name)
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw ConfigurationProblem(
                place: "--firebase-project", message: "names \(twice), which is already among the issuers")
        }
        try backups.checkTogether(besides: data)
        try push.checkTogether()
        try cluster.checkTogether()
    }
}
