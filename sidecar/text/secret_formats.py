"""The detectors that `secrets.py` runs: those of detect-secrets, and vendors' published formats that it lacks.

Imported only when a text is looked at: detect-secrets takes a tenth of a second. Not used of it are the entropy
detectors and the one for public addresses, which flag hashes and version numbers, and its settings, which are
global to the process.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from detect_secrets.plugins.artifactory import ArtifactoryDetector
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.basic_auth import BasicAuthDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

PASSWORD_IN_URL = "password in URL"  # noqa: S105  a kind, not a password

_KNOWN: tuple[tuple[str, type[RegexBasedDetector]], ...] = (
    ("AWS access key", AWSKeyDetector),
    ("GitHub token", GitHubTokenDetector),
    ("GitLab token", GitLabTokenDetector),
    ("Slack token", SlackDetector),
    ("Stripe key", StripeDetector),
    ("OpenAI key", OpenAIDetector),
    ("npm token", NpmDetector),
    ("PyPI token", PypiTokenDetector),
    ("SendGrid key", SendGridDetector),
    ("Twilio key", TwilioKeyDetector),
    ("Mailchimp key", MailchimpDetector),
    ("Azure storage key", AzureStorageKeyDetector),
    ("JSON Web Token", JwtTokenDetector),
    ("Telegram token", TelegramBotTokenDetector),
    ("Discord token", DiscordBotTokenDetector),
    ("Artifactory credential", ArtifactoryDetector),
    ("Square secret", SquareOAuthDetector),
    ("IBM Cloud key", IbmCloudIamDetector),
    ("IBM Cloud key", IbmCosHmacDetector),
    ("Cloudant credential", CloudantDetector),
    ("SoftLayer credential", SoftlayerDetector),
    (PASSWORD_IN_URL, BasicAuthDetector),
)

# These are quadratic in lines of slashes and the like.
_NEEDED: dict[type[RegexBasedDetector], str] = {NpmDetector: "_authToken", BasicAuthDetector: "@"}

# Formats as their vendors document them. A group, where there is one, is the secret.
_PUBLISHED: tuple[tuple[str, str], ...] = (
    ("Anthropic key", r"sk-ant-[a-z0-9]+-[A-Za-z0-9_-]{20,}"),
    ("OpenAI key", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}"),
    ("OpenAI key", r"sk-[A-Za-z0-9]{48}"),
    ("GitHub token", r"github_pat_[A-Za-z0-9_]{22,}"),
    ("Google API key", r"AIza[0-9A-Za-z_-]{35}"),
    ("Google OAuth secret", r"GOCSPX-[0-9A-Za-z_-]{28}"),
    ("Google OAuth token", r"ya29\.[0-9A-Za-z_-]{30,}"),
    ("npm token", r"npm_[A-Za-z0-9]{36}"),
    ("Slack token", r"xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-f0-9]{20,}"),
    ("Slack token", r"xox[a-z](?:\.xox[bp])?-[0-9A-Za-z-]{24,}"),
    ("Slack webhook", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/]{20,}"),
    ("Discord webhook", r"https://discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,}"),
    ("Stripe key", r"(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}"),
    ("Stripe webhook secret", r"whsec_[0-9A-Za-z+/=]{32,}"),
    ("Mailgun key", r"key-[0-9a-f]{32}"),
    ("Square token", r"sq0(?:atp|idp)-[0-9A-Za-z_-]{22,}"),
    ("Azure key", r"SharedAccessKey=([A-Za-z0-9+/]{43}=)"),
    ("Azure signature", r"[?&]sig=([A-Za-z0-9%+/]{40,})"),
    ("Azure client secret", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("Hugging Face token", r"hf_[A-Za-z0-9]{34}"),
    ("DigitalOcean token", r"do[opr]_v1_[a-f0-9]{64}"),
    ("Docker token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    ("Shopify token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("Databricks token", r"dapi[a-f0-9]{32}"),
    ("Vault token", r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("Atlassian token", r"ATATT3[A-Za-z0-9_=-]{60,}"),
    ("Grafana token", r"gl(?:c|sa)_[A-Za-z0-9+/=_]{32,}"),
    ("RubyGems key", r"rubygems_[a-f0-9]{48}"),
    ("age secret key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    (PASSWORD_IN_URL, r"://[^\s:/?#@\"'<>\[\]()`]{0,64}:([^\s/?#\"'<>\[\]()`]{3,128})@(?=[\w\[])"),
)


class Detector(RegexBasedDetector):
    """One kind of secret: patterns, in which a group stands for the secret where there is one."""

    secret_type = ""
    denylist: Sequence[re.Pattern[str]] = ()

    def __init__(self, kind: str, patterns: Sequence[re.Pattern[str]], *, needs: str = "") -> None:
        self.secret_type = kind
        self.needs = needs  # a line without it is not looked at
        self.denylist = tuple(patterns)


def detectors() -> list[Detector]:
    """Every detector of a published format, detect-secrets' own first."""
    found = [
        Detector(kind, tuple(plugin().denylist), needs=_NEEDED.get(plugin, "")) for kind, plugin in _KNOWN
    ]
    found += [Detector(kind, (re.compile(pattern),)) for kind, pattern in _PUBLISHED]
    return found
