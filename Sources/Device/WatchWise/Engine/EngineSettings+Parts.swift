extension EngineSettings {
    /// Those of a device.
    /// - Parameter device: Its name.
    init(_ parts: DeviceParts, device: String) {
        self.init(user: parts.user, device: device)
        locale = parts.locale
        asksAboutConflicts = parts.conflicts != nil
        clock = parts.clock
    }
}
