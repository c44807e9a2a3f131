import { createHash, randomBytes, randomUUID } from 'node:crypto';
import bcrypt from 'bcrypt';
import { Pool, type QueryResultRow } from 'pg';
import { MULTIPART_TYPE } from './multipart.js';
import { type Received, send } from './send.js';

export const PASSWORD = 'correct horse battery staple';

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

export interface TestTenant {
  readonly id: string;
  readonly name: string;
  readonly consoleAppId: string;
}

export interface TestClient {
  readonly id: string;
  readonly tenantId: string;
  readonly secret: string;
  readonly redirectUri: string;
}

export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly token_type: string;
}

export interface Call {
  readonly token?: string;
  /** A multipart body in place of a JSON one. */
  readonly upload?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Tenants, apps and users of one test, made through HTTP with its own platform admin. Works against the app in
 * the process and against real processes alike: it needs only an address and the database.
 */
export class World {
  private constructor(
    readonly baseUrl: string,
    private readonly pool: Pool,
    /** A platform admin with a token for the platform Console. */
    readonly admin: TestUser & { token: string },
    readonly platformConsoleId: string,
  ) {}

  static async open(baseUrl: string, databaseUrl: string): Promise<World> {
    // To start parallel workers takes longer than all that tests ask.
    const options = '-c max_parallel_workers_per_gather=0';
    const pool = new Pool({ connectionString: databaseUrl, max: 2, options });
    pool.on('error', () => undefined); // a database that stops ends idle connections; the next query opens a new one
    const user = { id: randomUUID(), email: `root-${unique()}@example.com`, password: PASSWORD };
    await pool.query(
      `INSERT INTO users (id, email, email_canonical, display_name, email_verified, password_hash, is_platform_admin)
       VALUES ($1, $2, $2, 'Root', true, $3, true)`,
      [user.id, user.email, await bcrypt.hash(PASSWORD, 4)],
    );
    const { rows } = await pool.query<{ id: string }>(
      'SELECT a.id FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE t.is_platform AND a.is_console_app',
    );
    const login = await call<Tokens>(baseUrl, 'POST', '/auth/login', {
      email: user.email,
      password: PASSWORD,
      app_id: rows[0]!.id,
    });
    if (login.status !== 200) throw new Error(`The platform admin cannot sign in: ${JSON.stringify(login.body)}`);
    return new World(baseUrl, pool, { ...user, token: login.body.access_token }, rows[0]!.id);
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  /** JSON in, JSON out; redirects are not followed. */
  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    options: Call = {},
  ): Promise<Answer<Body>> {
    return call<Body>(this.baseUrl, method, path, body, options);
  }

  /** As the platform admin; any other status than 2xx fails the test here. */
  async asAdmin<Body = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.call<Body>(method, path, body, { token: this.admin.token });
    if (answer.status >= 300) throw new Error(`${method} ${path} → ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async sql<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  /** For a query that is asked again and again: each connection plans it once. */
  async prepared<Row extends QueryResultRow>(text: string): Promise<Row[]> {
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    return (await this.pool.query<Row>({ name, text })).rows;
  }

  async tenant(fields: Record<string, unknown> = {}): Promise<TestTenant> {
    const name = `Tenant ${unique()}`;
    const body = await this.asAdmin<{ id: string; name: string; console_app_id: string }>('POST', '/admin/tenants', {
      name,
      ...fields,
    });
    return { id: body.id, name: body.name, consoleAppId: body.console_app_id };
  }

  /** `config` is merged over one redirect URI, `https://<bundle>.example/callback`. */
  async app(
    tenant: TestTenant,
    fields: Record<string, unknown> & { config?: Record<string, unknown> } = {},
  ): Promise<TestClient> {
    const bundle = `com.example.${unique()}`;
    const redirectUri = `https://${bundle}.example/callback`;
    const { config, ...rest } = fields;
    const body = await this.asAdmin<{ id: string; client_secret: string }>('POST', '/admin/apps', {
      name: `App ${bundle}`,
      tenant_id: tenant.id,
      bundle_id: bundle,
      config: { redirect_uris: [redirectUri], ...config },
      ...rest,
    });
    return { id: body.id, tenantId: tenant.id, secret: body.client_secret, redirectUri };
  }

  /** With a password; enrolled where `app` is given. */
  async user(app?: { id: string }, fields: Record<string, unknown> = {}): Promise<TestUser> {
    const email = `person-${unique()}@example.com`;
    const body = await this.asAdmin<{ id: string; email: string }>('POST', '/admin/users', {
      email,
      display_name: 'Ada Lovelace',
      password: PASSWORD,
      ...(app ? { app_id: app.id } : {}),
      ...fields,
    });
    return { id: body.id, email: body.email, password: PASSWORD };
  }

  /** Enrolled in the tenant's Console app, which makes a tenant admin. */
  tenantAdmin(tenant: TestTenant): Promise<TestUser> {
    return this.user({ id: tenant.consoleAppId });
  }

  login(
    user: TestUser,
    appId: string,
    extra: Record<string, unknown> = {},
  ): Promise<Answer<Tokens & { detail?: unknown }>> {
    return this.call('POST', '/auth/login', {
      email: user.email,
      password: user.password,
      app_id: appId,
      ...extra,
    });
  }

  /** Tokens of a JSON sign-in that must succeed. */
  async tokens(user: TestUser, appId: string, extra: Record<string, unknown> = {}): Promise<Tokens> {
    const answer = await this.login(user, appId, extra);
    if (answer.status !== 200) throw new Error(`Sign-in failed: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** The platform admin, after what ended their token. @returns the new one */
  async signInAgain(): Promise<string> {
    this.admin.token = (await this.tokens(this.admin, this.platformConsoleId)).access_token;
    return this.admin.token;
  }

  async serviceToken(app: TestClient, scope?: string): Promise<string> {
    const answer = await this.call<{ access_token: string }>('POST', '/auth/token', {
      grant_type: 'client_credentials',
      client_id: app.id,
      client_secret: app.secret,
      ...(scope === undefined ? {} : { scope }),
    });
    if (answer.status !== 200) throw new Error(`No service token: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.access_token;
  }
}

/** Twelve characters that no other test uses. */
export function unique(): string {
  return randomBytes(6).toString('hex');
}

async function call<Body>(
  baseUrl: string,
  method: string,
  path: string,
  body?: unknown,
  { token, headers, upload }: Call = {},
): Promise<Answer<Body>> {
  const answer = await send(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(upload ? { 'Content-Type': MULTIPART_TYPE } : {}),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    body: upload ?? (body === undefined ? undefined : JSON.stringify(body)),
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (/^[{[]/.test(answer.text) && !isLines(answer) ? JSON.parse(answer.text) : answer.text) as Body,
  };
}

/** JSON lines are no JSON text. */
function isLines({ headers }: Received): boolean {
  return (headers.get('content-type') ?? '').includes('ndjson');
}
