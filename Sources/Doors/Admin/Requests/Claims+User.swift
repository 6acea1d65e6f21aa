package import Authentication
package import ClientProtocol

extension Claims {
    /// Checks that the bearer may act as the user whom the token names.
    ///
    /// - Throws: `Refusal` (`forbidden`) for a token with a scope of operators that is not a user's, too.
    package func checkUser() throws(Refusal) {
        guard !isOfUser else { return }
        let word = Scope.allCases.first { scopes.contains($0.rawValue) } ?? .admin
        throw Refusal(
            .forbidden,
            "a token with the scope \(word.rawValue) is no user's; take one without a scope, or one that also has the "
                + "scope \(Self.userScope)",
            field: "token")
    }
}
