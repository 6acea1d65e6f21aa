/// The actor on which the library works: its objects are confined to it, and an application awaits them from anywhere.
///
/// The store is read and written on it. A transaction takes less than a millisecond; what waits for the network suspends.
@globalActor
public actor WatchWiseActor {
    public static let shared = WatchWiseActor()
}
