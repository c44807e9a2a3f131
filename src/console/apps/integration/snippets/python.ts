import { callbackOf, quoted, type SnippetValues } from './snippet.js';

/** Flask with Authlib: discovery, state, nonce and PKCE. */
export function pythonSnippet(values: SnippetValues): string {
  const { uri, path, startPath, port } = callbackOf(values);
  const isPublic = values.method === 'none';
  return `# pip install Flask Authlib requests
# Set ${isPublic ? '' : 'OIDC_CLIENT_SECRET, and '}SESSION_SECRET to a random text. Start: flask --app app run --port ${port}
import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, session

app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
broker = OAuth(app).register(
    "broker",
    client_id=${quoted(values.appId)},
${isPublic ? '' : '    client_secret=os.environ["OIDC_CLIENT_SECRET"],\n'}    server_metadata_url=${quoted(`${values.issuer}/.well-known/openid-configuration`)},
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"${isPublic ? ', "token_endpoint_auth_method": "none"' : ''}},
)


@app.get(${quoted(startPath)})
def login():
    return broker.authorize_redirect(${quoted(uri)})


@app.get(${quoted(path)})
def callback():
    session["user"] = broker.authorize_access_token()["userinfo"]
    return session["user"]`;
}
