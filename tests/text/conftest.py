"""Keys that look like real ones, made when the tests run: none is written down in the repository."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable

import pytest

UPPER_DIGITS = string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"


class Planter:
    """Random keys of each kind: (the key, the line that it stands in)."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.kinds: dict[str, Callable[[], tuple[str, str]]] = {
            "AWS access key id": self._bare("AKIA", BASE32, 16),
            "AWS temporary key id": self._bare("ASIA", BASE32, 16),
            "AWS secret key": self._named('aws_secret_access_key = "', BASE64, 40, '"'),
            "AWS secret key, environment": self._named("AWS_SECRET_ACCESS_KEY=", BASE64, 40, ""),
            "GitHub personal token": self._bare("gh" + "p_", ALNUM, 36),
            "GitHub OAuth token": self._bare("gh" + "o_", ALNUM, 36),
            "GitHub fine-grained token": self._bare("github" + "_pat_", ALNUM, 82),
            "GitLab token": self._bare("gl" + "pat-", URL_SAFE, 20, last=ALNUM),
            "Slack bot token": self._slack,
            "Slack webhook": self._slack_webhook,
            "Stripe key": self._bare("sk" + "_live_", ALNUM, 24),
            "Stripe restricted key": self._bare("rk" + "_live_", ALNUM, 99),
            "Google API key": self._bare("AI" + "za", URL_SAFE, 35, last=ALNUM),
            "OpenAI key": self._openai,
            "OpenAI project key": self._bare("sk" + "-proj-", URL_SAFE, 120, last=ALNUM),
            "Anthropic key": self._bare("sk" + "-ant-api03-", URL_SAFE, 93, last=ALNUM),
            "npm token": self._bare("np" + "m_", ALNUM, 36),
            "PyPI token": self._bare("pypi" + "-AgEIcHlwaS5vcmc", URL_SAFE, 140, last=ALNUM),
            "Twilio key": self._bare("S" + "K", HEX, 32),
            "SendGrid key": self._sendgrid,
            "Mailgun key": self._bare("key" + "-", HEX, 32),
            "Mailchimp key": self._mailchimp,
            "Azure storage key": self._azure,
            "JSON Web Token": self._jwt,
            "password in URL": self._url,
            "quoted password": self._named('db_password = "', ALNUM + "!@#%^&*", 14, '"', digit=True),
            "password in YAML": self._named("  password: ", ALNUM, 16, "", digit=True),
            "password in connection string": self._connection,
            "API key": self._named("API_KEY: '", HEX, 32, "'"),
            "Telegram token": self._telegram,
            "Discord token": self._discord,
            "Artifactory token": self._named("token: ", ALNUM, 60, "", prefix="AK" + "C"),
            "IBM Cloud key": self._named('ibm_api_key = "', URL_SAFE, 44, '"'),
            "Hugging Face token": self._bare("h" + "f_", ALNUM, 34),
            "DigitalOcean token": self._bare("dop" + "_v1_", HEX, 64),
            "Docker token": self._bare("dckr" + "_pat_", URL_SAFE, 27, last=ALNUM),
            "bearer token": self._named("Authorization: Bearer ", ALNUM, 40, ""),
            "Square token": self._bare("sq0" + "csp-", URL_SAFE, 43, last=ALNUM),
        }

    def characters(self, alphabet: str, length: int) -> str:
        return "".join(self._random.choice(alphabet) for _ in range(length))

    def key_block(self, label: str = "RSA ") -> str:
        body = "\n".join(self.characters(BASE64, 64) for _ in range(20))
        dashes = "-" * 5
        begin, end = (f"{dashes}{word} {label}PRIVATE KEY{dashes}" for word in ("BEGIN", "END"))
        return f"{begin}\n{body}\n{self.characters(BASE64, 30)}==\n{end}"

    def _in_context(self, key: str) -> str:
        contexts = (
            "{}",
            'TOKEN = "{}"',
            "use {} for the deploy job.",
            "- `{}`",
            "export KEY='{}'",
            "?key={}&x=1",
            '{{"k": "{}"}}',
        )
        return self._random.choice(contexts).format(key)

    def _bare(
        self, prefix: str, alphabet: str, length: int, *, last: str = ""
    ) -> Callable[[], tuple[str, str]]:
        def make() -> tuple[str, str]:
            key = (
                prefix
                + self.characters(alphabet, length - bool(last))
                + self.characters(last or "x", bool(last))
            )
            return key, self._in_context(key)

        return make

    def _named(
        self, before: str, alphabet: str, length: int, after: str, *, digit: bool = False, prefix: str = ""
    ) -> Callable[[], tuple[str, str]]:
        def make() -> tuple[str, str]:
            body = self.characters(alphabet, length)
            if digit:
                body = f"{body[:4]}7{body[5:-1]}k"
            return prefix + body, before + prefix + body + after

        return make

    def _slack(self) -> tuple[str, str]:
        parts = (
            self.characters(string.digits, 12),
            self.characters(string.digits, 12),
            self.characters(ALNUM, 24),
        )
        key = "xox" + "b-" + "-".join(parts)
        return key, self._in_context(key)

    def _slack_webhook(self) -> tuple[str, str]:
        parts = (
            "T" + self.characters(UPPER_DIGITS, 8),
            "B" + self.characters(UPPER_DIGITS, 8),
            self.characters(ALNUM, 24),
        )
        key = "https://hooks." + "slack.com/services/" + "/".join(parts)
        return parts[2], f"curl -X POST {key}"

    def _openai(self) -> tuple[str, str]:
        key = "sk" + "-" + self.characters(ALNUM, 20) + "T3Blbk" + "FJ" + self.characters(ALNUM, 20)
        return key, self._in_context(key)

    def _sendgrid(self) -> tuple[str, str]:
        key = "SG" + "." + self.characters(URL_SAFE, 22) + "." + self.characters(URL_SAFE, 42) + "a"
        return key, self._in_context(key)

    def _mailchimp(self) -> tuple[str, str]:
        key = self.characters(HEX, 32) + "-us" + str(self._random.randint(1, 20))
        return key, f"mailchimp: {key}"

    def _azure(self) -> tuple[str, str]:
        key = self.characters(BASE64, 86) + "=="
        return (
            key,
            f"DefaultEndpointsProtocol=https;AccountName=store;Account{'Key'}={key};EndpointSuffix=core",
        )

    def _jwt(self) -> tuple[str, str]:
        parts = [
            base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
            for part in (
                {"alg": "HS256", "typ": "JWT"},
                {"sub": self.characters(string.digits, 10), "admin": True},
            )
        ]
        key = ".".join((*parts, self.characters(URL_SAFE, 42) + "A"))
        return key, self._in_context(key)

    def _url(self) -> tuple[str, str]:
        key = self.characters(ALNUM + "!$*-_.", 12) + "3x"
        return key, f"DATABASE_URL=postgres://app:{key}@db.internal:5432/app"

    def _connection(self) -> tuple[str, str]:
        key = self.characters(ALNUM, 13) + "4k"
        return key, f"Server=db;Database=app;User Id=app;Password={key};Encrypt=true"

    def _telegram(self) -> tuple[str, str]:
        key = self.characters("123456789", 10) + ":" + "AA" + self.characters(URL_SAFE, 32) + "b"
        return key, self._in_context(key)

    def _discord(self) -> tuple[str, str]:
        key = (
            "M"
            + self.characters(ALNUM, 23)
            + "."
            + self.characters(URL_SAFE, 6)
            + "."
            + self.characters(URL_SAFE, 26)
            + "c"
        )
        return key, self._in_context(key)


@pytest.fixture
def planter() -> Planter:
    return Planter(20250101)


@pytest.fixture
def planters() -> Callable[[int], Planter]:
    return Planter
