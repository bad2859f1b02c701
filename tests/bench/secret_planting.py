"""Keys that look like real ones, made when a program runs: none is written down in the repository.

Each kind follows the form that its vendor documents (prefix, alphabet, length); the places that keys are put in are
those in which people and agents write them: sentences, environment files, JSON, YAML, addresses, commands, logs.
Prefixes are put together from two parts, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable
from typing import NamedTuple

UPPER_DIGITS = string.ascii_uppercase + string.digits
LOWER_DIGITS = string.ascii_lowercase + string.digits
ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


class Planted(NamedTuple):
    """A key and the text that it stands in: `before` and `after` are what has to be left of the text."""

    key: str
    before: str
    after: str

    @property
    def text(self) -> str:
        """The whole text."""
        return f"{self.before}{self.key}{self.after}"


# For keys that show what they are. No place gives a name that only a secret has, but for three.
_ANYWHERE = (
    ("", ""),
    ("use ", " for the deploy job."),
    ("The staging server answers to ", ", the other one to nobody."),
    ("- `", "`"),
    ("We rotated it last week (", ") and nobody noticed."),
    ('{"k": "', '", "n": 3}'),
    ('{"account": {"id": 7, "value": "', '"}}'),
    ("?key=", "&x=1"),
    ("https://api.internal/v2/run?key=", "&verbose=true"),
    ("TOKEN = '", "'"),
    ("export KEY='", "'"),
    ("SERVICE_KEY=", ""),
    ("curl -s -H 'X-Auth: ", "' https://api.internal/v1/users"),
    ("deploy --with ", " --region eu-west-1"),
    ("2026-01-02 10:11:12 ERROR call refused, sent ", ", status 401"),
    ("  value: ", "\n  other: 3"),
    ("client = Client('", "', retries=3)"),
    ("| prod | ", " | rotated |"),
    ("日本のサーバーは ", " を使う。"),
    ("1. open the page\n2. paste ", "\n3. press save"),
)
_HEX_KEY_LENGTH = 32


class Planter:
    """Random keys of each kind. The same seed gives the same keys."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.kinds: dict[str, Callable[[], Planted]] = {
            **self._cloud(),
            **self._forges(),
            **self._messages(),
            **self._models(),
            **self._services(),
            **self._general(),
        }

    def characters(self, alphabet: str, length: int) -> str:
        """Random characters."""
        return "".join(self._random.choice(alphabet) for _ in range(length))

    def key_block(self, label: str = "RSA ") -> str:
        """A private key as PEM, of lines of 64 characters."""
        body = "\n".join(self.characters(BASE64, 64) for _ in range(20))
        dashes = "-" * 5
        begin, end = (f"{dashes}{word} {label}PRIVATE KEY{dashes}" for word in ("BEGIN", "END"))
        return f"{begin}\n{body}\n{self.characters(BASE64, 30)}==\n{end}"

    def _cloud(self) -> dict[str, Callable[[], Planted]]:
        bare, named = self._bare, self._named
        return {
            "AWS access key id": bare("AKIA", BASE32, 16),
            "AWS temporary key id": bare("ASIA", BASE32, 16),
            "AWS secret key": named(BASE64, 40, ('aws_secret_access_key = "', '"'), ("AWS_SECRET_ACCESS_KEY=", "")),
            "Google API key": bare("AI" + "za", URL_SAFE, 35, last=ALNUM),
            "Google OAuth secret": bare("GOC" + "SPX-", URL_SAFE, 28, last=ALNUM),
            "Azure storage key": lambda: Planted(
                self.characters(BASE64, 86) + "==",
                f"DefaultEndpointsProtocol=https;AccountName=store;Account{'Key'}=",
                ";EndpointSuffix=core",
            ),
            "Azure client secret": lambda: self._in_context(
                f"{self.characters(ALNUM, 3)}8Q~{self.characters(ALNUM + '_~.-', 33)}{self.characters(ALNUM, 1)}"
            ),
            "DigitalOcean token": bare("dop" + "_v1_", HEX, 64),
            "Cloudflare token": named(ALNUM, 40, ("CLOUDFLARE_API_TOKEN=", ""), ('cloudflare_api_token: "', '"')),
            "Heroku key": bare("HR" + "KU-AA", ALNUM + "_-", 58, last=ALNUM),
            "IBM Cloud key": named(ALNUM, 44, ('ibm_api_key = "', '"'), ("IBMCLOUD_API_KEY=", "")),
            "Alibaba key id": bare("LT" + "AI", ALNUM, 20),
            "Databricks token": bare("da" + "pi", HEX, 32),
            "Terraform token": lambda: self._in_context(
                f"{self.characters(ALNUM, 14)}.{'atlas'}v1.{self.characters(URL_SAFE, 66)}{self.characters(ALNUM, 1)}"
            ),
            "Vault token": bare("hv" + "s.", URL_SAFE, 92, last=ALNUM),
            "Pulumi token": bare("pu" + "l-", HEX, 40),
            "Google OAuth token": bare("ya" + "29.a0", URL_SAFE, 150, last=ALNUM),
            "Azure shared access key": lambda: Planted(
                f"{self.characters(BASE64, 43)}=",
                f"Endpoint=sb://x.servicebus.net/;SharedAccessKeyName=all;SharedAccess{'Key'}=",
                "",
            ),
            "Azure signature": lambda: Planted(
                f"{self.characters(ALNUM, 43)}%3D", "https://x.blob.core.windows.net/c/f.txt?sv=2022-11-02&sig=", ""
            ),
            "Fly token": bare("fo" + "1_", URL_SAFE, 43, last=ALNUM),
        }

    def _forges(self) -> dict[str, Callable[[], Planted]]:
        bare = self._bare
        return {
            "GitHub personal token": bare("gh" + "p_", ALNUM, 36),
            "GitHub OAuth token": bare("gh" + "o_", ALNUM, 36),
            "GitHub app token": bare("gh" + "s_", ALNUM, 36),
            "GitHub fine-grained token": bare("github" + "_pat_", ALNUM, 22, tail=("_", ALNUM, 59)),
            "GitLab token": bare("gl" + "pat-", URL_SAFE, 20, last=ALNUM),
            "GitLab runner token": bare("gl" + "rt-", URL_SAFE, 20, last=ALNUM),
            "GitLab deploy token": bare("gl" + "dt-", URL_SAFE, 20, last=ALNUM),
            "npm token": bare("np" + "m_", ALNUM, 36),
            "PyPI token": bare("pypi" + "-AgEIcHlwaS5vcmc", URL_SAFE, 140, last=ALNUM),
            "RubyGems key": bare("ruby" + "gems_", HEX, 48),
            "crates.io token": bare("ci" + "o", ALNUM, 32),
            "Docker token": bare("dckr" + "_pat_", URL_SAFE, 27, last=ALNUM),
            "Artifactory token": bare("AK" + "Cp", ALNUM, 69),
            "CircleCI token": bare("CCI" + "PAT_", ALNUM, 22, tail=("_", HEX, 40)),
            "Buildkite token": bare("bk" + "ua_", HEX, 40),
            "SonarQube token": bare("sq" + "p_", HEX, 40),
            "Atlassian token": bare("ATA" + "TT3xFfGF0", URL_SAFE, 180, last="=", end=8),
        }

    def _messages(self) -> dict[str, Callable[[], Planted]]:
        bare = self._bare
        digits = string.digits
        return {
            "Slack bot token": lambda: self._in_context(
                "xox" + f"b-{self.characters(digits, 12)}-{self.characters(digits, 12)}-{self.characters(ALNUM, 24)}"
            ),
            "Slack app token": lambda: self._in_context(
                "xap"
                + f"p-1-A{self.characters(UPPER_DIGITS, 10)}-{self.characters(digits, 13)}-{self.characters(HEX, 64)}"
            ),
            "Slack webhook": lambda: Planted(
                f"https://hooks.{'slack'}.com/services/T{self.characters(UPPER_DIGITS, 8)}"
                f"/B{self.characters(UPPER_DIGITS, 8)}/{self.characters(ALNUM, 24)}",
                "curl -X POST ",
                "",
            ),
            "Discord token": lambda: self._in_context(
                f"M{self.characters(ALNUM, 23)}.{self.characters(URL_SAFE, 6)}."
                f"{self.characters(URL_SAFE, 37)}{self.characters(ALNUM, 1)}"
            ),
            "Discord webhook": lambda: Planted(
                self.characters(ALNUM, 68),
                f"post to https://{'discord'}.com/api/webhooks/{self.characters('123456789', 18)}/",
                " when it fails",
            ),
            "Telegram token": lambda: self._in_context(
                f"{self.characters('123456789', 10)}:AA{self.characters(URL_SAFE, 32)}b"
            ),
            "Twilio key": bare("S" + "K", HEX, 32),
            "SendGrid key": lambda: self._in_context(
                "SG" + f".{self.characters(URL_SAFE, 22)}.{self.characters(URL_SAFE, 42)}a"
            ),
            "Mailgun key": bare("key" + "-", HEX, 32),
            "Mailchimp key": lambda: Planted(
                f"{self.characters(HEX, 32)}-us{self._random.randint(1, 20)}", "mailchimp_key = '", "'"
            ),
        }

    def _models(self) -> dict[str, Callable[[], Planted]]:
        bare = self._bare
        return {
            "OpenAI key": lambda: self._in_context(
                f"sk-{self.characters(ALNUM, 20)}T3Blbk{'FJ'}{self.characters(ALNUM, 20)}"
            ),
            "OpenAI project key": lambda: self._in_context(
                f"sk-proj-{self.characters(URL_SAFE, 73)}aT3Blbk{'FJ'}{self.characters(URL_SAFE, 73)}a"
            ),
            "Anthropic key": bare("sk" + "-ant-api03-", URL_SAFE, 95, last="A", end=2),
            "Hugging Face token": bare("h" + "f_", string.ascii_letters, 34),
            "Groq key": bare("gs" + "k_", ALNUM, 52),
            "xAI key": bare("xa" + "i-", ALNUM, 80),
            "Replicate token": bare("r" + "8_", ALNUM, 37),
            "Perplexity key": bare("pp" + "lx-", ALNUM, 48),
            "OpenRouter key": bare("sk" + "-or-v1-", HEX, 64),
        }

    def _services(self) -> dict[str, Callable[[], Planted]]:
        bare, named = self._bare, self._named
        return {
            "Stripe key": bare("sk" + "_live_", ALNUM, 24),
            "Stripe restricted key": bare("rk" + "_live_", ALNUM, 99),
            "Stripe webhook secret": bare("wh" + "sec_", ALNUM, 32),
            "Shopify token": bare("shp" + "at_", HEX, 32),
            "Square token": bare("sq0" + "csp-", URL_SAFE, 43, last=ALNUM),
            "Notion token": bare("nt" + "n_", string.digits, 11, tail=("", ALNUM, 35)),
            "Linear key": bare("lin" + "_api_", ALNUM, 40),
            "Grafana token": bare("gl" + "sa_", ALNUM, 32, tail=("_", HEX, 8)),
            "New Relic key": bare("NR" + "AK-", UPPER_DIGITS, 27),
            "Datadog key": named(HEX, 32, ("DD_API_KEY=", ""), ('datadog_api_key = "', '"')),
            "Sentry token": bare("snt" + "ryu_", HEX, 64),
            "Doppler token": bare("dp" + ".pt.", ALNUM, 43),
            "Postman key": bare("PM" + "AK-", HEX, 24, tail=("-", HEX, 34)),
            "Netlify token": bare("nf" + "p_", ALNUM, 36),
            "Supabase token": bare("sb" + "p_", HEX, 40),
            "PlanetScale password": bare("pscale" + "_pw_", URL_SAFE, 43, last=ALNUM),
            "Airtable token": bare("pa" + "t", ALNUM, 14, tail=(".", HEX, 64)),
            "Figma token": bare("fig" + "d_", URL_SAFE, 40, last=ALNUM),
            "LangSmith key": bare("ls" + "v2_pt_", HEX, 32, tail=("_", HEX, 10)),
            "Stripe test key": bare("sk" + "_test_", ALNUM, 99),
            "1Password token": bare("op" + "s_eyJ", BASE64, 300, last=ALNUM),
            "Dynatrace token": lambda: self._in_context(
                f"dt0{'c01'}.{self.characters(BASE32, 24)}.{self.characters(BASE32, 64)}"
            ),
            "age secret key": bare("AGE-SECRET" + "-KEY-1", BECH32, 58),
        }

    def _general(self) -> dict[str, Callable[[], Planted]]:
        named = self._named
        return {
            "private key": lambda: Planted(self.key_block(), "the key:\n", "\nthat was it"),
            "OpenSSH key": lambda: Planted(self.key_block("OPENSSH "), "~/.ssh/deploy is\n", "\n"),
            "JSON Web Token": self._jwt,
            "password in URL": lambda: Planted(
                self.characters(ALNUM + "!$*-_.", 12) + "3x", "DATABASE_URL=postgres://app:", "@db.internal:5432/app"
            ),
            "password of Redis": lambda: Planted(
                self.characters(ALNUM, 22), "run redis-cli -u redis://:", "@cache.internal:6379/0 ping"
            ),
            "quoted password": self._password(('db_password = "', '"'), ("PASSWORD: '", "'")),
            "password in YAML": self._password(("db:\n  password: ", "\n  port: 3")),
            "password in a sentence": self._password(
                ("The password is ", "."), ("the admin password was changed to `", "` on Monday")
            ),
            "password in an option": self._password(("mysql -u root --password=", " app < dump.sql")),
            "connection string": self._password(("Server=db;Database=app;User Id=app;Password=", ";Encrypt=true")),
            "API key by name": named(
                HEX, _HEX_KEY_LENGTH, ("API_KEY: '", "'"), ('"apiKey": "', '"'), ("x-api-key: ", "")
            ),
            "client secret": named(ALNUM, 40, ('client_secret = "', '"'), ("CLIENT_SECRET=", "")),
            "bearer token": named(
                ALNUM, 40, ("Authorization: Bearer ", ""), ('curl -H "Authorization: Bearer ', '" https://x.org')
            ),
            "basic authorisation": lambda: Planted(
                base64.b64encode(f"deploy:{self.characters(ALNUM, 20)}".encode()).decode().rstrip("="),
                "Authorization: Basic ",
                "\nAccept: */*",
            ),
            "AWS key in a sentence": named(
                BASE64, 40, ("the aws_secret_access_key is ", ""), ("Our AWS secret key was ", " until May")
            ),
            "token in a sentence": named(
                ALNUM, 24, ("VERCEL_TOKEN is ", " now"), ("The deploy token for staging is ", ".")
            ),
            "key in an option": named(
                HEX, 32, ("dogctl --dd-api-key ", " up"), ("az login --client-secret ", ""), ("run --api-key=", " -v")
            ),
            "key before its name": named(ALNUM, 32, ("// ", " is the API key"), ("`", "` is our signing secret")),
            "key in an element": named(
                ALNUM,
                32,
                ("<apiToken>", "</apiToken>"),
                ('<add key="ApiToken" value="', '"/>'),
                ("<token>\n  ", "\n</token>"),
            ),
            "key beside its name": named(
                ALNUM, 32, ('{"name": "SERVICE_TOKEN", "value": "', '"}'), ('setProperty("APP_SECRET", "', '")')
            ),
            "key on the next line": named(ALNUM, 32, ("token: >\n  ", "\nport: 3"), ("client_secret: |\n  ", "\n")),
            "key in code": named(
                HEX,
                40,
                ('apiKey := "', '"'),
                ('$apiToken .= "', '";'),
                ('def f(api_key="', '"): ...'),
                ('SECRET ?= "', '"'),
            ),
            "password in a table": self._password(
                ("| host | password |\n|---|---|\n| db1 | ", " |"), ("user,password,host\nbob,", ",db1")
            ),
            "password in an element": self._password(
                ("<password>", "</password>"), ('<add key="DbPassword" value="', '"/>'), ("", " is the admin password")
            ),
            "password in code": self._password(
                ('def connect(host, password="', '"): ...'), ("const dbPassword = '", "';"), ('"pwd": "', '"')
            ),
            "secret of a UUID's form": lambda: Planted(
                str(uuid.UUID(int=self._random.getrandbits(128), version=4)), "HEROKU_API_KEY=", ""
            ),
        }

    def _in_context(self, key: str) -> Planted:
        return Planted(key, *self._random.choice(_ANYWHERE))

    def _bare(
        self,
        prefix: str,
        alphabet: str,
        length: int,
        *,
        last: str = "",
        end: int = 1,
        tail: tuple[str, str, int] = ("", "", 0),
    ) -> Callable[[], Planted]:
        def make() -> Planted:
            closing = self.characters(last, end) if last else ""
            key = prefix + self.characters(alphabet, length - len(closing)) + closing
            return self._in_context(key + tail[0] + self.characters(tail[1] or "x", tail[2]))

        return make

    def _named(self, alphabet: str, length: int, *places: tuple[str, str]) -> Callable[[], Planted]:
        return lambda: Planted(self.characters(alphabet, length), *self._random.choice(places))

    def _password(self, *places: tuple[str, str]) -> Callable[[], Planted]:
        def make() -> Planted:
            body = self.characters(ALNUM + "!@#%^&*", 14)
            return Planted(
                f"{self.characters(ALNUM, 1)}{body}7{self.characters(ALNUM, 1)}", *self._random.choice(places)
            )

        return make

    def _jwt(self) -> Planted:
        parts = [
            base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
            for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": self.characters(string.digits, 10), "admin": True})
        ]
        return self._in_context(".".join((*parts, self.characters(URL_SAFE, 42) + "A")))
