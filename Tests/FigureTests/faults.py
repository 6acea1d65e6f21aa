"""The figures of servers with each fault, and of one without, for `promtool test rules`."""

import json
import re

import yaml

NODE = 'instance="n1",job="watchwise"'
# A figure of a rule: of a server with the fault, and of one without, as promtool writes series: one value a minute.
FIGURES = {
    "WatchWiseDown": [("up", "0x120", "1x120")],
    "WatchWiseNotReady": [("watchwise_ready", "0x120", "1x120")],
    "WatchWiseCommitsFail": [("watchwise_commit_failures_total", "0+1x120", "7x120")],
    "WatchWiseDiskFills": [("watchwise_disk_free_bytes", "1000000-10000x80", "1000000x120")],
    "WatchWiseDescriptorsScarce": [("process_open_fds", "900x120", "500x120"), ("process_max_fds", "1000x120", "1000x120")],
    "WatchWiseCertificateExpires": [("watchwise_tls_certificate_expiry_timestamp_seconds", "864000x120", "8640000x120")],
    "WatchWiseBackupOld": [("watchwise_backup_last_success_timestamp_seconds", "-200000x120", "0x120")],
    "WatchWiseBackupFails": [("watchwise_backup_last_success_timestamp_seconds", "-90000x120", "0x120"),
                             ("watchwise_backup_interval_seconds", "21600x120", "21600x120")],
    "WatchWiseTriggerBroken": [("watchwise_triggers_broken", "1x120", "0x120")],
    "WatchWiseWebhooksDie": [("watchwise_webhooks_dead_total", "0+1x120", "3x120")],
    "WatchWisePushesWait": [('watchwise_push_platform_waiting,platform="apns"', "1x120", "0x120")],
    "WatchWiseIssuerKeysMissing": [("watchwise_issuers_without_keys", "1x120", "0x120")],
    "WatchWiseTokensRefused": [('watchwise_tokens_refused_total,reason="signature"', "0+120x120", "0+1x120")],
    "WatchWiseRetentionLate": [('watchwise_retention_overdue_seconds,kind="log"', "90000x120", "60x120")],
    "WatchWiseLogLost": [("watchwise_log_lines_lost_total", "0+1x120", "2x120")],
    "WatchWiseNobodyLeads": [("watchwise_journal_leading", "0x120", "1x120")],
    "WatchWiseNodeLags": [("watchwise_journal_lag_seconds", "20x120", "1x120")],
    "WatchWiseNodeDiverged": [("watchwise_journal_diverged_total", "0+1x120", "0x120")],
    "WatchWiseJournalForeign": [("watchwise_journal_foreign_total", "0+1x120", "5x120")],
    "WatchWiseJournalSettings": [("watchwise_journal_settings_problems", "2x120", "0x120")],
}
# Histograms: with the fault all take up to 5 s, without it up to 0.1 s.
for rule, figure in {"WatchWiseCommitsSlow": "commit_duration", "WatchWiseDeliveriesLate": "delivery_lag"}.items():
    FIGURES[rule] = [(f'watchwise_{figure}_seconds_bucket,le="{bound}"', sick, "0+60x120") for bound, sick in
                     (("0.1", "0x120"), ("5", "0+60x120"), ("+Inf", "0+60x120"))]
# What is left of a figure's labels where the rule adds up, and the values that a sentence shows.
LABELS = {"WatchWiseCommitsSlow": ["instance"], "WatchWiseDeliveriesLate": ["instance"], "WatchWiseTokensRefused": ["instance", "reason"],
          "WatchWiseNobodyLeads": ["job"]}
VALUES = {"WatchWiseNodeLags": "20", "WatchWiseJournalSettings": "2"}


def series(rule, is_sick):
    for figure, sick, well in FIGURES[rule]:
        name, _, labels = figure.partition(",")
        yield {"series": f"{name}{{{NODE}{',' if labels else ''}{labels}}}", "values": sick if is_sick else well}


def alarm(rule):
    """The alarm of a rule, with its sentences."""
    labels = dict(re.findall(r'(\w+)="([^"]*)"', f"{NODE},{FIGURES[rule['alert']][0][0]}"))
    labels.pop("le", None)
    labels = {name: value for name, value in labels.items() if name in LABELS.get(rule["alert"], labels)}

    def filled(text):
        text = re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda found: labels[found[1]], text)
        return text.replace("{{ $value }}", VALUES.get(rule["alert"], ""))

    return {"exp_labels": labels | rule["labels"], "exp_annotations": {name: filled(text) for name, text in rule["annotations"].items()}}


def tests(rules):
    """The file for promtool: each rule fires for its fault, and none for a server without one."""
    alerts = [rule for group in yaml.safe_load(rules.read_text())["groups"] for rule in group["rules"]]
    well = {"interval": "1m", "input_series": [one for rule in alerts for one in series(rule["alert"], False)],
            "alert_rule_test": [{"eval_time": "90m", "alertname": rule["alert"]} for rule in alerts]}
    sick = [{"interval": "1m", "input_series": list(series(rule["alert"], True)),
             "alert_rule_test": [{"eval_time": "75m", "alertname": rule["alert"], "exp_alerts": [alarm(rule)]}]} for rule in alerts]
    return json.dumps({"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [well, *sick]})
