/// The merge patch of RFC 7396.
extension JSONValue {
    /// This value after a merge patch: RFC 7396, section 2. The time is proportional to the size of both.
    package func merged(with patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        return .object((objectValue ?? JSONObject()).merged(with: changes))
    }
}

extension JSONObject {
    /// Up to this number of changes, each one searches the list for its member; with more, the names are hashed once.
    private static var searchedChangesMax: Int { 8 }

    /// This object after a merge patch: members that the patch does not name stay, null removes a member, new names are
    /// appended.
    func merged(with patch: JSONObject) -> JSONObject {
        var values = members.map { Optional($0.value) }
        var additions: [(name: String, value: JSONValue)] = []
        let places = patch.count > Self.searchedChangesMax ? placesByName : nil
        for (name, change) in patch.members {
            let place = if let places { places[JSONName(name)] } else { place(of: name) }
            if let place {
                values[place] = change.isNull ? .none : .some((values[place] ?? .null).merged(with: change))
            } else if !change.isNull {
                additions.append((name, JSONValue.null.merged(with: change)))
            }
        }
        let kept = zip(members, values).compactMap { member, value in value.map { (name: member.name, value: $0) } }
        return JSONObject(distinct: kept + additions)
    }
}
