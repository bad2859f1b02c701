"""Name a secret's kind in the mark that replaces it, derived from the detectors' own identifiers."""

from __future__ import annotations

from sidecar.text.lazy_patterns import lazy

PASSWORD = "password"  # noqa: S105  a kind, not a password
PASSWORD_IN_URL = "password in URL"  # noqa: S105
PRIVATE_KEY = "private key"
SECRET = "secret"  # noqa: S105

# Words with a spelling of their own; the first word of a kind is also capitalised.
_SPELLED = dict(
    entry.split("=")
    for entry in (
        "1password=1Password ad=AD ai=AI ai21=AI21 api=API aws=AWS cicd=CI ci=CI cli=CLI clickhouse=ClickHouse "
        "crates=crates devops=DevOps digitalocean=DigitalOcean elevenlabs=ElevenLabs gcp=Google github=GitHub "
        "gitlab=GitLab hashicorp=HashiCorp id=ID langsmith=LangSmith npm=npm nvidia=NVIDIA oauth=OAuth oauth2=OAuth2 "
        "onepassword=1Password openai=OpenAI openrouter=OpenRouter planetscale=PlanetScale posthog=PostHog pypi=PyPI "
        "relic=Relic rubygems=RubyGems runpod=RunPod scim=SCIM sendgrid=SendGrid sonarqube=SonarQube tf=Terraform "
        "pat=token url=URL xai=xAI"
    ).split()
)
_WHOLE = {
    "jwt": "JSON Web Token",
    "jwt-base64": "JSON Web Token",
    "private-key": PRIVATE_KEY,
    "connection-string-password": PASSWORD_IN_URL,
    "huggingface-token": "Hugging Face token",
    "huggingface-access-token": "Hugging Face token",
    "huggingface-organization-api-token": "Hugging Face token",
    "gitlab-ptt": "GitLab trigger token",
    "gitlab-rrt": "GitLab runner token",
    "age-secret-key": "age secret key",
    "gcp-api-key": "Google API key",
    "aws-access-token": "AWS access key",
    "aws-access-key-id": "AWS access key",
    "openai-api-key": "OpenAI key",
    "anthropic-api-key": "Anthropic key",
    "bearer-token": "bearer token",
    "authorization-credential": "authorisation",
    "otpauth-secret": "one time password secret",
}
# Detectors that go by the name to which a value is assigned.
NAMED = frozenset(("contextual-secret", "generic-api-key", "vendor-prefixed-credential"))
_LONGEST = 60
_ODD = lazy(r"[^A-Za-z0-9 ]+")


def label(detector: str) -> str:
    """Turn a detector's identifier (words joined by `-` or `_`) into at most 60 letters, digits and spaces."""
    known = _WHOLE.get(identifier(detector))
    if known is not None:
        return known
    first, *rest = identifier(detector).split("-")
    words = [_SPELLED.get(first, first.capitalize()), *(_SPELLED.get(word, word) for word in rest)]
    return _ODD.sub(" ", " ".join(words))[:_LONGEST].strip()


def identifier(detector: str) -> str:
    return detector.replace("_", "-")
