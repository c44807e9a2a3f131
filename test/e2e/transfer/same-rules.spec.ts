import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenApiDocument, Schema } from '../../support/openapi-operations.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';

/** What an import has for reasons of its own. */
const DIFFERENT = {
  app: ['tenant_id', 'service_scopes', 'is_console_app', 'is_active', 'bundle_id'],
  config: ['branding'],
  branding: ['logo_data', 'dark_logo_data', 'favicon_data'],
  user: [
    'password',
    'is_platform_admin',
    'app_id',
    'password_hash',
    'passkeys',
    'status',
    'linked_accounts',
    'email_verified',
  ],
  tenant: ['slug', 'admin_email'],
};

// The classes are two, because neighbors do not import each other; the rules are one.
describe('Fields of an import', () => {
  let service: SharedTestApp;
  let document: OpenApiDocument;

  beforeAll(async () => {
    service = await sharedTestApp();
    document = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
  });

  function rules(name: string, without: readonly string[]): Record<string, unknown> {
    const { properties } = document.components.schemas[name] as Schema;
    const rule = ({ description: _, ...rest }: Record<string, unknown>) => rest;
    const kept = Object.entries(properties!).filter(([field]) => !without.includes(field));
    return Object.fromEntries(kept.map(([field, schema]) => [field, rule(schema as Record<string, unknown>)]));
  }

  it.each([
    ['ImportedApp', 'AppCreate', [...DIFFERENT.app, 'config']],
    ['ImportedConfig', 'ConfigInput', DIFFERENT.config],
    ['ImportedBranding', 'BrandingInput', DIFFERENT.branding],
    ['ImportedUser', 'UserCreate', DIFFERENT.user],
    ['ImportedTenant', 'TenantCreate', DIFFERENT.tenant],
  ])('in %s follow the rules of %s', (imported, created, without) => {
    expect(rules(imported, without)).toEqual(rules(created, without));
    expect(Object.keys(rules(imported, without)).length).toBeGreaterThan(1);
  });

  it('for bundle ids follow the rule of the API', () => {
    const pattern = (name: string) =>
      (document.components.schemas[name]!.properties!['bundle_id'] as { pattern?: string }).pattern;
    expect([pattern('ImportedApp'), pattern('ImportedApp')?.length]).toEqual([
      pattern('AppCreate'),
      expect.any(Number),
    ]);
  });
});
