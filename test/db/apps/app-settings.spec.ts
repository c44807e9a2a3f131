import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

// security F21: an app whose settings cannot be read would stop every list of apps.
describe('Settings of an app in the database', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const change = (column: string, value: string) => client.query(`UPDATE apps SET ${column} = ${value}`);

  it.each([
    ['an empty object', `'{}'`],
    ['a text', `'"x"'`],
    ['null', `'null'`],
    ['a list', `'[]'`],
    ['no redirect URIs', `config - 'redirect_uris'`],
    ['redirect URIs that are a text', `config || '{"redirect_uris": "https://app.example.com/"}'`],
    ['redirect URIs that are numbers', `config || '{"redirect_uris": [1]}'`],
    ['nested redirect URIs', `config || '{"redirect_uris": [["https://app.example.com/"]]}'`],
    ['roles that are null', `config || '{"available_roles": null}'`],
    ['a role that is null', `config || '{"auto_assign_roles": [null]}'`],
    ['a lifetime that is a text', `config || '{"token_lifetime_minutes": "15"}'`],
    ['require_2fa that is a text', `config || '{"require_2fa": "false"}'`],
    ['require_pkce that is null', `config || '{"require_pkce": null}'`],
    ['a client type that is a number', `config || '{"client_type": 1}'`],
    ['a logout URI that is a list', `config || '{"backchannel_logout_uri": []}'`],
  ])('cannot be %s', async (_, value) => {
    await expect(change('config', value)).rejects.toThrow('ck_apps_config');
  });

  it.each([
    ['an empty object', `'{}'`],
    ['a color that is a number', `branding || '{"primary_color": 1}'`],
    ['no height of the logo', `branding - 'logo_height'`],
    ['a logo that is an object', `branding || '{"logo_url": {}}'`],
    ['terms of service that are a list', `branding || '{"tos_uri": []}'`],
    ['a privacy policy that is a number', `branding || '{"policy_uri": 1}'`],
    ['a support address that is true', `branding || '{"support_uri": true}'`],
  ])('cannot have as branding %s', async (_, value) => {
    await expect(change('branding', value)).rejects.toThrow('ck_apps_branding');
  });

  it.each([
    ['members that a later version adds', `config || '{"from_a_later_version": {"a": 1}}'`],
    ['only the members of the first version', `config - 'require_pkce' - 'client_type' - 'backchannel_logout_uri'`],
    ['the optional members as null', `config || '{"client_type": null, "backchannel_logout_uri": null}'`],
    ['empty lists', `config || '{"redirect_uris": [], "allowed_providers": []}'`],
  ])('can have %s', async (_, value) => {
    expect((await change('config', value)).rowCount).toBe(1);
  });
});
