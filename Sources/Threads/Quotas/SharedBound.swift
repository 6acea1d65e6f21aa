/// A bound on something that many parties share, and the part that one may have: the dynamic threshold by which
/// switches share their buffers.
///
/// Each part may be as large as half of the free rest. A part that is alone may be large; the more the others have, the
/// smaller it must be. The free rest never runs out, because nobody gets all of it. The parts of one owner together may
/// be as large as the free rest. So the largest owners are refused first. Owners of little have a reserve of their own,
/// a quarter of the bound.
///
/// - Confinement: any
struct SharedBound: Sendable {
    package let max: Int
    /// The size up to which a part may use the reserve.
    let smallPart: Int
    /// The most that the owner of such a part may have in all.
    let smallOwner: Int

    /// The bound for owners of little, including their reserve, when the others have taken everything else.
    var maxOfSmall: Int { max / 4 * 5 }

    /// Whether a part may have this size.
    ///
    /// - Parameters:
    ///   - owner: The size of all parts of its owner.
    ///   - used: The size of all parts of all owners.
    package func admits(_ part: Int, of owner: Int, used: Int) -> Bool {
        let free = Swift.max(0, max - used)
        return part <= free / 2 && owner <= free || part <= smallPart && owner <= smallOwner && used < maxOfSmall
    }
}
