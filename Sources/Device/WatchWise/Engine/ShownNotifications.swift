#if canImport(UserNotifications)
    import Foundation
    import UserNotifications
#endif

/// The notifications that the system shows for this application, on Apple platforms.
enum ShownNotifications {
    /// Takes away those that came from the server, and the badge. It is not built on Linux, where this library is tested.
    static func close() {
        #if canImport(UserNotifications)
            // A program without a bundle has none, and may not ask.
            guard Bundle.main.bundleIdentifier != nil else { return }
            UNUserNotificationCenter.current().getDeliveredNotifications { shown in
                let own = shown.map(\.request).filter { $0.content.userInfo["ww"] != nil }.map(\.identifier)
                UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: own)
            }
            UNUserNotificationCenter.current().setBadgeCount(0)
        #endif
    }
}
