/// A bound on something that many share, and how much of it one may have: the dynamic threshold by which switches share
/// their buffers.
///
/// Each part may be as large as half of what is still free. Alone it may be large; the more the others have, the smaller;
/// and the free part never runs out, because nobody gets all of it. The parts of one owner together may be as much as what
/// is still free. So those who have most are refused first; and for whoever has little there is a reserve, a quarter of
/// the bound, that is nobody else's.
///
/// - Confinement: any
struct SharedBound: Sendable {
    package let max: Int
    /// The size up to which a part may use the reserve.
    let smallPart: Int
    /// What the owner of such a part may have in all.
    let smallOwner: Int

    /// Up to where those who have little may have more, although the others have taken what there is.
    var maxOfSmall: Int { max / 4 * 5 }

    /// Whether a part may be so large.
    ///
    /// - Parameters:
    ///   - owner: all that its owner has.
    ///   - used: all that everybody has.
    package func admits(_ part: Int, of owner: Int, used: Int) -> Bool {
        let free = Swift.max(0, max - used)
        return part <= free / 2 && owner <= free || part <= smallPart && owner <= smallOwner && used < maxOfSmall
    }
}
