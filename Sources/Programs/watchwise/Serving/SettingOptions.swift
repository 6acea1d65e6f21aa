import ArgumentParser
import Configuration

/// The options of `watchwise serve` that are made from the table of settings.
///
/// The argument parser asks a mirror of a command for its options. `Serve` answers with options made from the table, instead
/// of properties, and decodes them by the same names. They stand in the command itself and not in a group with groups: a
/// debug build of the parser checks each level six times, and all levels below it each time.
enum SettingOptions {
    /// A group of options for each group of settings, as children of the command's mirror.
    static var definitions: [Mirror.Child] { ServerConfiguration.groups.map { definition(of: $0) } }

    /// The texts that were given, in order, by the key of the setting; `true` for an option without a value.
    static func texts(in container: KeyedDecodingContainer<OptionName>) throws -> [String: [String]] {
        var texts: [String: [String]] = [:]
        for group in ServerConfiguration.groups {
            for (key, given) in try Self.texts(of: group, in: container) { texts[key] = given }
        }
        return texts
    }

    private static func texts<Group: SettingGroup>(
        of group: Group.Type, in container: KeyedDecodingContainer<OptionName>
    ) throws -> [String: [String]] {
        try container.decode(OptionGroup<GroupOptions<Group>>.self, forKey: OptionName(group.title)).wrappedValue.texts
    }

    private static func definition<Group: SettingGroup>(of group: Group.Type) -> Mirror.Child {
        (group.title, OptionGroup<GroupOptions<Group>>(title: group.title))
    }
}

/// The options of one group, which the help shows under the group's title.
struct GroupOptions<Group: SettingGroup>: ParsableArguments, CustomReflectable {
    private(set) var texts: [String: [String]] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionName.self)
        for setting in Group.settings where setting.option != nil {
            let name = OptionName(setting.key)
            if setting.valueName == nil {
                if try container.decode(Flag<Bool>.self, forKey: name).wrappedValue { texts[setting.key] = ["true"] }
            } else if setting.isList {
                texts[setting.key] = try container.decode(Option<[String]>.self, forKey: name).wrappedValue
            } else {
                let text = try container.decode(Option<String?>.self, forKey: name).wrappedValue
                texts[setting.key] = text.map { [$0] }
            }
        }
    }

    var customMirror: Mirror {
        Mirror(
            self,
            children: Group.settings.compactMap { setting -> Mirror.Child? in
                setting.option.map { (setting.key, Self.definition(of: setting, named: $0)) }
            })
    }

    private static func definition(of setting: Setting, named option: String) -> Any {
        let name = NameSpecification.customLong(option)
        guard let valueName = setting.valueName else {
            return Flag(wrappedValue: false, name: name, help: "\(setting.help)")
        }
        let addition = setting.isList ? " May be repeated." : ""
        let standard = setting.standard.map { " (default: \($0))" } ?? ""
        let help = ArgumentHelp("\(setting.help + addition + standard)", valueName: valueName)
        return setting.isList
            ? Option<[String]>(wrappedValue: [], name: name, help: help) : Option<String?>(name: name, help: help)
    }
}

/// The name under which the argument parser keeps an option.
struct OptionName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
