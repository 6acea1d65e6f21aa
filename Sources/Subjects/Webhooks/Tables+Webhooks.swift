package import Log

extension Tables {
    package var webhooks: WebhookTable<Access> { WebhookTable(access: access) }
}
