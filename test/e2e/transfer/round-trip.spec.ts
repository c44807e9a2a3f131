import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { cleanDisplayName } from '../../../src/users/display-name.rules.js';
import { newClientKey } from '../../support/client-keys.js';
import { FOREIGN_HASHES } from '../../support/foreign-hashes.js';
import { type AppDocument, type TenantDocument, TransferFixture, withoutTime } from '../../support/transfer-fixture.js';
import { unique } from '../../support/world.js';
import fc from '../../support/fast-check.js';

jest.setTimeout(240_000);

const RUNS = 25;
const SEED = 20_261_121;
const ROLES = ['user', 'manager', 'admin', 'Reviewer.2', 'x:y', 'a-b_c'];
const HASHES = FOREIGN_HASHES.map(({ hash }) => hash);

/** Names as users and programs make them: any script, any sign, nothing that PostgreSQL or JSON cannot hold. */
const name = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.constantFrom(
      '"',
      '\\',
      '\u2028',
      '\u202eabc',
      '</script>',
      'ﬁ',
      '🧑‍🚀'.repeat(20),
      ' ',
      'é'.normalize('NFD'),
      '\n',
      '\u001b[31m',
    ),
  )
  .map((text) => [...text.replaceAll('\0', '')].slice(0, 200).join(''))
  .filter((text) => text.length > 0 && text.isWellFormed());

const local = fc.constantFrom('ada', 'Ada', 'ä', 'ΑΔΑ', 'имя', 'a+b', 'o_o', 'x.y', '%', 'fi', 'FULL', 'I', 'zz');

const picture = fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant('logo') });

const config = fc.record({
  allowed_providers: fc.subarray(['password', 'magic_link', 'google', 'github']),
  redirect_uris: fc.subarray([
    'https://a.example/cb',
    'http://127.0.0.1/cb',
    'com.example.app:/cb',
    'https://ü.example/?a=b',
  ]),
  post_logout_redirect_uris: fc.subarray(['https://a.example/bye']),
  initiate_login_uri: fc.constantFrom(null, 'https://a.example/login'),
  request_notices: fc.constantFrom('immediately', 'daily', 'off'),
  backchannel_logout_uri: fc.constantFrom(null, 'https://a.example/backchannel'),
  available_roles: fc.subarray(ROLES.slice(1)).map((roles) => ['user', ...roles]),
  auto_assign_roles: fc.constant(['user']),
  token_lifetime_minutes: fc.integer({ min: 1, max: 1440 }),
  refresh_lifetime_days: fc.integer({ min: 1, max: 90 }),
  client_type: fc.constantFrom(null, 'confidential', 'public', 'native'),
  refresh_grace_seconds: fc.integer({ min: 0, max: 60 }),
  require_2fa: fc.boolean(),
  require_pkce: fc.boolean(),
  require_par: fc.boolean(),
  resources: fc.constantFrom([], ['https://orders.example/api', 'urn:example:stock']),
  // Only with some of the values above.
  token_exchange: fc.constant(false),
  served_resources: fc.constantFrom([], ['urn:example:stock']),
  dpop_bound_access_tokens: fc.boolean(),
  token_endpoint_auth_method: fc.constant(null),
  jwks: fc.constantFrom(null, { keys: [newClientKey('ES256', 'one').jwk] }),
  jwks_uri: fc.constant(null),
  third_party: fc.boolean(),
  device_grant: fc.boolean(),
  require_verified_email: fc.boolean(),
  android_apps: fc.subarray([`com.example.shop/${Array.from({ length: 32 }, () => 'AB').join(':')}`]),
  apple_app_ids: fc.subarray(['ABCDE12345.com.example.shop']),
  branding: fc.record({
    primary_color: fc.constantFrom('#2563eb', '#000000', '#ff00aa'),
    logo_url: fc.constantFrom(null, 'https://a.example/logo.png'),
    logo_height: fc.integer({ min: 16, max: 256 }),
    tos_uri: fc.constantFrom(null, 'https://a.example/terms'),
    policy_uri: fc.constantFrom(null, 'https://a.example/privacy'),
    support_uri: fc.constantFrom(null, 'https://a.example/help'),
    logo_data: picture,
    dark_logo_data: picture,
    favicon_data: picture,
  }),
});

const app = fc.record({
  name,
  bundle: fc.constantFrom('com.example', 'Com.Example', 'a-b_c', 'com.example.shop.app'),
  registration_policy: fc.constantFrom('open', 'approval', 'invite'),
  is_active: fc.boolean(),
  config,
  users: fc.array(
    fc.record({
      user: fc.nat(9),
      roles: fc.subarray(ROLES),
      status: fc.constantFrom('pending', 'active', 'suspended'),
    }),
    { maxLength: 10 },
  ),
});

const tenant = fc.record({
  tenant: fc.record({
    name,
    is_active: fc.boolean(),
    min_password_length: fc.integer({ min: 8, max: 64 }),
    weak_passwords: fc.constantFrom('off', 'warn', 'block'),
    require_2fa: fc.boolean(),
    allow_account_deletion: fc.boolean(),
    support_email: fc.constantFrom(null, 'help@example.com', 'Hilfe@Ü.example'),
    default_locale: fc.constantFrom(null, 'en', 'pt-BR'),
    offer_passkeys: fc.boolean(),
    passkey_recovery_days: fc.constantFrom(null, 7),
    client_document_hosts: fc.constantFrom([], ['*'], ['agents.example.com']),
    client_registration: fc.boolean(),
    passkey_aaguids: fc.constantFrom(null, ['2fc0579f-8113-47ea-b116-bb5a8db9202a']),
    resources: fc.constantFrom(
      [],
      [
        {
          identifier: 'https://orders.example/api',
          name: 'Orders',
          scopes: ['orders:read'],
          token_lifetime_minutes: 5,
        },
      ],
    ),
  }),
  apps: fc.array(app, { maxLength: 6 }),
  users: fc.array(
    fc.record({
      local,
      display_name: name,
      email_verified: fc.boolean(),
      password_hash: fc.constantFrom(null, ...HASHES),
      providers: fc.subarray(['github', 'google', 'microsoft', 'apple']),
      link_email: fc.constantFrom(null, 'at@provider.example'),
    }),
    { minLength: 10, maxLength: 10 },
  ),
});

type Generated = typeof tenant extends fc.Arbitrary<infer T> ? T : never;

/** The document as our own export would write it: what is imported must come out as exactly this. */
function canonical(
  { tenant: fields, apps, users: members }: Generated,
  tag: string,
  logo: string,
): Omit<TenantDocument, 'exported_at'> {
  const accounts = members.map(({ local: part, providers, link_email, ...rest }, index) => ({
    ...rest,
    display_name: cleanDisplayName(rest.display_name) ?? `${part}-${index}-${tag}`,
    linked_accounts: [...providers]
      .sort()
      .map((provider) => ({ provider, provider_user_id: `${tag}"${index}`, email: link_email })),
    email: `${part}-${index}-${tag}@example.com`,
  }));
  return {
    format: 'identity-broker/tenant',
    version: 1,
    tenant: {
      ...fields,
      slug: `t-${tag}`,
      // Each belongs to one tenant.
      resources: fields.resources.map((each) => ({ ...each, identifier: `${each.identifier}/${tag}` })),
    },
    apps: apps
      .map(({ bundle, users, ...rest }, index) => ({
        ...rest,
        bundle_id: `${bundle}.${tag}-${index}`,
        config: {
          ...rest.config,
          branding: {
            ...rest.config.branding,
            logo_data: rest.config.branding.logo_data && logo,
            dark_logo_data: rest.config.branding.dark_logo_data && logo,
            favicon_data: rest.config.branding.favicon_data && logo,
          },
        },
        users: byAddress(
          [...new Map(users.map((user) => [user.user, user])).values()].map(({ user, roles, status }) => ({
            ...accounts[user]!,
            roles: [
              'user',
              ...roles.filter((role) => role !== 'user' && rest.config.available_roles.includes(role)),
            ].sort(),
            status,
          })),
        ),
      }))
      .sort((a, b) => (a.bundle_id < b.bundle_id ? -1 : 1)),
  };
}

function byAddress<User extends { email: string }>(users: User[]): User[] {
  const key = (email: string) => Buffer.from(email.normalize('NFKC').toLowerCase().normalize('NFKC'));
  return users.sort((a, b) => Buffer.compare(key(a.email), key(b.email)));
}

describe('Export, import and export again', () => {
  let here: TransferFixture;
  let there: TransferFixture;
  /** As the service keeps it. */
  let logo: string;

  beforeAll(async () => {
    [here, there] = [await TransferFixture.open(), await TransferFixture.open()];
    const app = { name: 'Logo', bundle_id: 'com.logo', config: { branding: { logo_data: pixel() } } };
    const imported = await through(here, { tenant: { name: 'Logo' }, apps: [app] });
    const { branding } = imported.apps[0]!['config'] as { branding: { logo_data: string } };
    logo = branding.logo_data;
    expect(logo).toMatch(/^data:image\/png;base64,iVBOR/);
  });

  afterAll(async () => {
    await here.close();
    await there.close();
  });

  const WHOLE = '?include_users=true&include_credentials=true';

  async function through(fixture: TransferFixture, document: object): Promise<TenantDocument> {
    const answer = await fixture.importTenant(document);
    expect([answer.status, answer.status === 201 ? null : answer.body]).toEqual([201, null]);
    return fixture.exportTenant(answer.body.id, WHOLE);
  }

  it(`return the same document, and again from the next service (${RUNS} tenants)`, async () => {
    await fc.assert(
      fc.asyncProperty(tenant, async (generated) => {
        const document = canonical(generated, unique(), logo);
        const first = await through(here, document);
        expect(withoutTime(first)).toEqual(document);
        const second = await through(there, first);
        expect(withoutTime(second)).toEqual(document);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('return the same document for 300 apps', async () => {
    const tag = unique();
    const apps = Array.from({ length: 300 }, (_, n) => ({
      name: `App ${n}`,
      bundle_id: `com.example.n${String(n).padStart(3, '0')}.${tag}`,
      config: { redirect_uris: [`https://n${n}.example/cb`] },
      users: [{ email: `owner-${n}-${tag}@example.com`, display_name: `Owner ${n}`, roles: ['admin'] }],
    }));
    const first = await through(here, { tenant: { name: 'Many', slug: `many-${tag}` }, apps: [...apps].reverse() });
    expect(first.apps.map((each) => each['bundle_id'])).toEqual(apps.map((each) => each.bundle_id));
    expect(first.apps[299]!.users![0]).toMatchObject({
      email: `owner-299-${tag}@example.com`,
      roles: ['admin', 'user'],
    });
    expect(withoutTime(await through(there, first))).toEqual(withoutTime(first));
  });

  it('return an app moved to another tenant unchanged', async () => {
    const tag = unique();
    const body = {
      app: { name: 'ﬁ "Shop" 🧑‍🚀', bundle_id: `com.shop.${tag}`, registration_policy: 'open' },
      users: [
        { email: `b-${tag}@example.com`, display_name: '\u202eabc', email_verified: true, password_hash: HASHES[5] },
        {
          email: `A-${tag}@example.com`,
          display_name: "'; DROP TABLE users; --",
          status: 'suspended',
          roles: ['manager'],
        },
      ],
    };
    const bring = async (fixture: TransferFixture, document: object): Promise<AppDocument> => {
      const { id } = await fixture.world.tenant();
      const answer = await fixture.importApp({ ...document, tenant_id: id, preserve_bundle_id: true });
      expect(answer.status).toBe(201);
      return fixture.exportApp(answer.body.id, WHOLE);
    };
    const first = await bring(here, body);
    expect(first.users!.map((user) => user.email)).toEqual([`A-${tag}@example.com`, `b-${tag}@example.com`]);
    expect(withoutTime(await bring(there, first))).toEqual(withoutTime(first));
  });

  it('of the same document at the same service create a second tenant beside the first', async () => {
    const tag = unique();
    const users = [{ email: `v-${tag}@example.com`, display_name: 'V', email_verified: true }];
    const apps = [{ name: 'Shop', bundle_id: `com.shop.${tag}`, users }];
    const first = await through(here, { tenant: { name: 'Twin', slug: `twin-${tag}` }, apps });
    const second = await through(here, first);
    expect(second.tenant).toEqual({ ...first.tenant, slug: `twin-${tag}-2` });
    expect(second.apps[0]!['bundle_id']).toMatch(new RegExp(`^com\\.shop\\.${tag}\\.imported-`));
    expect(second.apps[0]!.users).toEqual(first.apps[0]!.users);
  });
});

/** A PNG of one pixel. */
function pixel(): string {
  return 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
}
