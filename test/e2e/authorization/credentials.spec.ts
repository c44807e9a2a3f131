import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RouteCensus } from '../../../src/auth/access/route-census.js';
import { type AccessMark, type Credential, credentialsOf } from '../../../src/common/http/access-marks.js';
import { ask, cellOf } from '../../support/credentials/credential-request.js';
import {
  CREDENTIAL_KINDS,
  type CredentialKind,
  CredentialFixture,
} from '../../support/credentials/credential-fixture.js';
import {
  type CredentialRow,
  readCredentialTable,
  writeCredentialTable,
} from '../../support/credentials/credential-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

/** Name in an access mark, by column. The other columns are no credentials: no mark can name them. */
const NAMED: Partial<Record<CredentialKind, Credential>> = {
  'SSO session': 'session',
  'console session': 'console_session',
  'Console token': 'console_token',
  'token of own app': 'app_token',
  'token of other app': 'app_token',
  'bound token with proof': 'app_token',
  'token of self-registered app': 'app_token',
  'service token': 'service_token',
  setup_token: 'setup_token',
};

/** Set it to rewrite the table after routes were added or removed; then read every changed line. */
const WRITES = process.env['WRITE_CREDENTIAL_TABLE'] === '1';

// Every route × every kind of credential (OWASP ASVS 8.1.1, 10.3.1): its user has every right, so only the
// kind of credential decides.
describe('Table of routes and credentials (credentials.csv)', () => {
  let service: TestApp;
  let world: World;
  let fixture: CredentialFixture;
  let marks: Map<string, AccessMark>;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    fixture = await CredentialFixture.build(world, service);
    const counted = service.nest.get(RouteCensus, { strict: false }).count();
    marks = new Map(counted.flatMap(({ routes, mark }) => routes.map((route) => [route, mark!] as const)));
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const answer = async (route: string, kind: CredentialKind) => ask(fixture, route, await fixture.present(kind));

  // Nothing is compared while the table is written: a developer reads it, and the next run compares it.
  if (WRITES) {
    it('is written', writeTable, 120_000);
    return;
  }

  async function writeTable(): Promise<void> {
    const rows: CredentialRow[] = [];
    for (const route of [...marks.keys()].sort()) {
      const cells: [CredentialKind, string][] = [];
      for (const kind of CREDENTIAL_KINDS) cells.push([kind, cellOf(await answer(route, kind))]);
      rows.push({ route, cells: Object.fromEntries(cells) as CredentialRow['cells'] });
    }
    writeCredentialTable(rows);
  }

  it('has one row for each route and no others', () => {
    expect(readCredentialTable().map(({ route }) => route)).toEqual([...marks.keys()].sort());
  });

  it('shows a different answer only for credentials that the route’s access mark names', () => {
    for (const { route, cells } of readCredentialTable()) {
      const taken = credentialsOf(marks.get(route)!);
      for (const kind of CREDENTIAL_KINDS) {
        const name = NAMED[kind];
        if (name && taken.includes(name)) continue;
        // The guard answers 403 instead of 401 to a valid token of the wrong kind.
        const isRefused = name?.endsWith('_token') && cells.none === '401' && cells[kind] === '403';
        expect([route, kind, isRefused ? cells.none : cells[kind]]).toEqual([route, kind, cells.none]);
      }
    }
  });

  it.each(readCredentialTable().map((row) => [row.route, row] as const))(
    'lists the answer of %s to each kind of credential',
    async (route, { cells }) => {
      const answers: Record<string, string> = {};
      for (const kind of CREDENTIAL_KINDS) answers[kind] = cellOf(await answer(route, kind));
      expect(answers).toEqual(cells);
    },
  );
});
