import ArgumentParser

extension ArgumentHelp {
    /// The help of an argument, after the word that stands for its value.
    static func value(_ name: String, _ help: String) -> ArgumentHelp { ArgumentHelp(help, valueName: name) }
}
