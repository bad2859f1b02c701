"""Lines that look like secrets but are not: hashes, identifiers, placeholders, code about secrets."""

from __future__ import annotations

import pytest

from sidecar.text.secrets import redact

INNOCENT = [
    "password: str",
    "password: str | None = None",
    'def login(user: str, password: str = "") -> Token:',
    "the password is set to 'password' in the tests",
    'the password must be set to "$DB_PASSWORD" before',
    "password: 'plumtreeford',",  # as likely a label, or a test's
    "OPENAI_API_KEY=sk-...",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    'api_key="sk-test"',
    'api_key = "test-key"',
    'token="fake-super-secret-token"',
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "token: ${{ secrets.NPM_TOKEN }}",
    "password: !vault |",
    "password: \"{{ lookup('env', 'PW') }}\"",
    "github.com/stretchr/testify v1.9.0 h1:HtqpIVDClZ4nwg75+f6Lvsy/wHu+3BoSGCbBAiTpTsg=",
    '"resolved": "https://registry.npmjs.org/zod/-/zod-3.23.8.tgz#e37b957b5d52079769fb8097099b592f0ef4067d"',
    'checksum = "a0d2fbd1d1f1b8cbe5e6a9d4c9a1b4a2f9c4b8f4f1e6f0d1b5a7c3d2e4f6a8b0"',
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "image: ghcr.io/org/app@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
    "https://s3.amazonaws.com/bucket/2026/01/02/report-final-v2.pdf",
    "The id is 018f3c6e-7b1a-7c3d-9e2f-1a2b3c4d5e6f",
    "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7",
    'ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"',
    "key = cache_key(user_id, page_number)",
    'primary_key=True, foreign_key="users.id"',
    "const key = `${prefix}:${id}`",
    "sort(key=lambda item: item.created_at)",
    "keyboard shortcut: Ctrl+Shift+P",
    "The token bucket refills 100 tokens per second",
    "tokens = tokenizer.encode(text)",
    "max_tokens: 4096",
    "secretKeyRef: {name: db, key: password}",
    "kubectl create secret generic db --from-literal=password=$PW",
    "Run `export API_KEY=...` first",
    "Set SECRET_KEY in .env",
    'the password is stored in 1Password under "db prod"',
    "Password must be at least 12 characters.",
    "The password was reset on Monday.",
    "password reset link expires in 24 hours",
    "use getpass.getpass() for the password",
    "const { password } = req.body;",
    "if (!user.verifyPassword(password)) return 401;",
    "password_hash = bcrypt.hashpw(password.encode(), salt)",
    'assert response.json() == {"access_token": token, "token_type": "bearer"}',
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    'curl -H "Authorization: Bearer ${TOKEN}"',
    "postgres://localhost:5432/app",
    "redis://cache:6379/0",
    "https://user:pass@host",
    "mongodb+srv://<user>:<password>@cluster0.mongodb.net",
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3Zr6Kp0nq0v3o8mJq9QwZsYkB4mC1nJd8VQw1cF2pD deploy@host",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDGbP1pZ8VxJ1QwF3k",
    "src/components/PasswordField.test.tsx",
    "tests/test_token_refresh_after_expiry.py::test_it_refreshes_v2",
    "process.env.STRIPE_SECRET_KEY",
    'settings.SECRET_KEY = os.environ["SECRET_KEY"]',
    'secret: process.env.JWT_SECRET || "dev"',
    "name: my-secret",
    "apiVersion: v1\nkind: Secret",
    "idempotency_key=order-2026-01-02-0001",
    "LICENSE_KEY field is optional",
    "MD5 (file) = d41d8cd98f00b204e9800998ecf8427e",
    "go.opentelemetry.io/otel v1.24.0/go.mod h1:W7b9Ozg4nkF5tWI5zsXkaKKDjdVjpD4oAt9Qi/MArHo=",
    "integrity sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==",
    "_nuxt/entry.B8mC1nJd.js",
    "class TokenBucketRateLimiter2Tests",
    "pnpm-lock.yaml: /@babel/core@7.24.0(supports-color@8.1.1)",
    "passed 12 tests, password checks included",
    '"passwordPolicy": "strong-passwords-v2"',
    'Key: Value pairs are split at ": "',
    "UserPasswordResetControllerTest1",
    "x-request-id: 7f3c2b1a-9d8e-4f6a-b5c4-3d2e1f0a9b8c",
    "build-id: 20260102.3-prod-eu-west-1",
    'hashlib.sha256(b"abc").hexdigest()',
    "pip install uvicorn --hash=sha256:cd17daa7f3b9d7a24de3617820e634d0933b69eed8e33a516071174427238c81",
    "GET /oauth/token?grant_type=client_credentials",
    "the api key header is X-Api-Key",
    "const apiKey = useApiKey();",
    "token_urlsafe(32)",
    "session cookie name: sessionid",
    "--token-file /run/secrets/token",
    "password-store: ~/.password-store",
    "pass = 3, fail = 0",
    "pwd: /home/dev/projects/app",
    "cwd=/srv/app pwd=/srv/app/current",
    "secret santa list 2025",
    "TestPassword_ResetFlow_Handles_Expired_Links",
    "0x8f3CF7ad23Cd3CaDbD9735AFf958023239c6A063",
    "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK",
    "cargo:checksum=7e6dc881de23001b",
    "Bearer tokens are checked in middleware.ts",
    "basic authentication is off",
    "Basic types are in types.d.ts",
    "spring.datasource.password=${DB_PASSWORD:changeme}",
    "- `PASSWORD` (default: `postgres`)",
    "docker run -e POSTGRES_PASSWORD=postgres -p 5432:5432",
    "password=postgres",
    "hunter2",
]
IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5E"
    "rkJggg=="
)


@pytest.mark.parametrize("text", INNOCENT)
def test_lookalikes_of_secrets_stay_as_they_are(text: str) -> None:
    assert redact(text) == (text, [])


@pytest.mark.parametrize(
    "text", [f"![logo](data:image/png;base64,{IMAGE})", f"background: url(data:font/woff2;base64,{IMAGE * 40})"]
)
def test_data_in_an_address_is_no_secret(text: str) -> None:
    assert redact(text) == (text, [])


def test_innocent_texts_joined_into_one_hold_no_secret() -> None:
    text = "\n\n".join(INNOCENT)
    assert redact(text) == (text, [])
