import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../test/support/free-port.js';
import type { Stream } from '../load/generator.js';
import { untilAnswered } from '../processes.js';
import { BCRYPT_COST, type Stage } from '../stage.js';
import { CONNECTIONS, everywhere, get, postJson } from '../streams.js';

/** A server beside oidc-provider that is measured where it is installed. Null: it has no such document. */
export interface FurtherPeer {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly jwks: Stream[];
  readonly discovery: Stream[] | null;
  readonly logins: Stream[];
}

const PASSWORD = 'a long password of a user';
/** The tables of Debian’s package, with the user `admin`. */
const GLEWLWYD_TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';

const started = new WeakMap<Stage, Promise<FurtherPeer[]>>();

/** Started once for each run. @param betterAuth the folder where better-auth is installed */
export function furtherPeers(stage: Stage, betterAuth: string | undefined): Promise<FurtherPeer[]> {
  const peers = started.get(stage) ?? start(stage, betterAuth);
  started.set(stage, peers);
  return peers;
}

async function start(stage: Stage, betterAuth: string | undefined): Promise<FurtherPeer[]> {
  const peers: FurtherPeer[] = [];
  if (betterAuth) peers.push(await startBetterAuth(stage, betterAuth));
  else console.log('better-auth is left out: name its folder with --better-auth=<folder>');
  if (['glewlwyd', 'sqlite3'].some((program) => spawnSync(program, ['--version']).error))
    console.log('glewlwyd is left out: it takes the programs glewlwyd and sqlite3');
  else peers.push(await startGlewlwyd(stage));
  return peers;
}

async function startBetterAuth(stage: Stage, folder: string): Promise<FurtherPeer> {
  const database = await newDatabase(stage);
  const args = [folder, database, String(BCRYPT_COST), String(CONNECTIONS)];
  const { pid, told } = await stage.processes.tell<{ port: number }>('./peers/better-auth.mjs', args);
  const logins = Array.from({ length: CONNECTIONS }, (_, index) => {
    const body = JSON.stringify({ email: `user-${index}@bench.example`, password: PASSWORD });
    return postJson('/api/auth/sign-in/email', body, '"token":"');
  });
  const jwks = everywhere(get('/api/auth/jwks', '"keys"'));
  return { name: 'better-auth', port: told.port, pid, jwks, discovery: null, logins };
}

/** In C, with its own SQLite. Its passwords are salted SHA-512, its default, which is no hash for passwords: its logins cost next to nothing. */
async function startGlewlwyd(stage: Stage): Promise<FurtherPeer> {
  const database = join(stage.folder, 'glewlwyd.db');
  const filled = spawnSync('sqlite3', [database], { input: readFileSync(GLEWLWYD_TABLES) });
  if (filled.status !== 0) throw new Error(`sqlite3: ${String(filled.error ?? filled.stderr)}`);
  const port = await freePort();
  const config = join(stage.folder, 'glewlwyd.conf');
  writeFileSync(config, glewlwydConfig(port, database, stage.folder));
  const process = stage.processes.start('glewlwyd', [`--config-file=${config}`], stage.environment, `${config}.log`);
  const baseUrl = `http://127.0.0.1:${port}`;
  await untilAnswered(`${baseUrl}/config`, process);
  const signedIn = await call(`${baseUrl}/api/auth/`, { username: 'admin', password: 'password' });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  await call(`${baseUrl}/api/mod/plugin/`, openIdPlugin(baseUrl), cookie);
  const logins: Stream[] = [];
  for (let index = 0; index < CONNECTIONS; index++) {
    const username = `user-${index}`;
    await call(`${baseUrl}/api/user/`, { username, password: PASSWORD, scope: ['g_profile'], enabled: true }, cookie);
    logins.push(postJson('/api/auth/', JSON.stringify({ username, password: PASSWORD }), ''));
  }
  return {
    ...{ name: 'glewlwyd', port, pid: process.pid!, logins },
    jwks: everywhere(get('/api/oidc/jwks', '"keys"')),
    discovery: everywhere(get('/api/oidc/.well-known/openid-configuration', '"issuer"')),
  };
}

async function newDatabase({ databaseUrl }: Stage): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE DATABASE better_auth').finally(() => client.end());
  const url = new URL(databaseUrl);
  url.pathname = '/better_auth';
  return url.href;
}

function glewlwydConfig(port: number, database: string, folder: string): string {
  const modules = ['user', 'user_middleware', 'client', 'plugin'].map(
    (kind) => `${kind}_module_path="/usr/lib/glewlwyd/${kind}"`,
  );
  return [
    `port=${port}`,
    'bind_address="127.0.0.1"',
    `external_url="http://127.0.0.1:${port}"`,
    ...['login_url="login.html"', 'api_prefix="api"', 'cookie_secure=0', 'log_mode="file"', 'log_level="ERROR"'],
    `log_file="${join(folder, 'glewlwyd.log')}"`,
    ...['admin_scope="g_admin"', 'profile_scope="g_profile"', 'hash_algorithm="SHA512"'],
    ...modules,
    'user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"',
    `database = { type = "sqlite3"; path = "${database}"; };`,
  ].join('\n');
}

function openIdPlugin(iss: string): object {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    ...{ module: 'oidc', name: 'oidc', display_name: 'OpenID Connect', order_rank: 0, enabled: true },
    parameters: {
      ...{ iss, 'jwt-type': 'rsa', 'jwt-key-size': '256', 'jwks-show': true },
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      cert: publicKey.export({ type: 'spki', format: 'pem' }),
      ...{ 'access-token-duration': 3_600, 'refresh-token-duration': 1_209_600, 'code-duration': 600 },
      ...{ 'refresh-token-rolling': true, 'auth-type-code-enabled': true, 'auth-type-refresh-enabled': true },
    },
  };
}

async function call(url: string, body: object, cookie = ''): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', ...(cookie ? { Cookie: cookie } : {}) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}
