import { readdirSync, readFileSync } from 'node:fs';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { type CountedRoute, RouteCensus } from '../../../src/auth/access/route-census.js';
import { credentialsOf } from '../../../src/common/http/access-marks.js';
import { LargeBodyInterceptor } from '../../../src/common/http/bodies/large-body.interceptor.js';
import type { CredentialKind } from '../credentials/credential-fixture.js';
import { type OpenApiDocument, operationsOf } from '../openapi-operations.js';
import { routesOf, withStars } from '../route-table.js';
import type { TestApp } from '../test-app.js';

/** A route as the fuzz test shoots at it. */
export interface Target {
  readonly method: string;
  /** With `:parameters`, or stars where the router alone knows it. */
  readonly path: string;
  readonly takesBody: boolean;
  readonly takesUpload: boolean;
  /** Kinds of valid credential that it takes. */
  readonly kinds: readonly CredentialKind[];
  /** Names that its body or its query may have. */
  readonly fields: readonly string[];
}

const KIND = {
  session: 'SSO session',
  console_session: 'console session',
  console_token: 'Console token',
  app_token: 'token of own app',
  service_token: 'service token',
  setup_token: 'setup_token',
} as const;

/** Every route: those of the census, which knows what they take, and what else the router has. */
export async function fuzzTargets(service: TestApp): Promise<Target[]> {
  const document = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
  const described = new Map(operationsOf(document).map((each) => [`${each.method} ${withStars(each.path)}`, each]));
  const inForms = formFields();
  const counted = service.nest.get(RouteCensus, { strict: false }).count();
  const handlers = new Map(counted.flatMap((each) => each.routes.map((route) => [route, each] as const)));
  const known = new Set([...handlers.keys()].map(withStars));
  return [...handlers.keys(), ...routesOf(service.nest).filter((route) => !known.has(route))].sort().map((route) => {
    const [method, path] = route.split(' ') as [string, string];
    const operation = described.get(withStars(route));
    const named = [
      ...Object.keys(operation?.body?.properties ?? {}),
      ...(operation?.raw.parameters ?? []).map(({ name }) => name),
    ];
    const handler = handlers.get(route);
    return {
      method,
      path,
      takesBody: !['GET', 'HEAD'].includes(method),
      takesUpload: handler !== undefined && takesUpload(handler),
      kinds: handler?.mark ? credentialsOf(handler.mark).map((credential) => KIND[credential]) : [],
      fields: named.length > 0 ? named : inForms,
    };
  });
}

/** Multipart bodies are read by interceptors, each in its own way. */
function takesUpload({ target }: CountedRoute): boolean {
  const interceptors = (Reflect.getMetadata(INTERCEPTORS_METADATA, target) ?? []) as unknown[];
  return interceptors.some((interceptor) => interceptor !== LargeBodyInterceptor);
}

/** Names of all fields in the forms of the pages. */
function formFields(): string[] {
  const views = readdirSync('views', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.hbs'));
  const names = views.flatMap((file) =>
    [...readFileSync(`views/${file}`, 'utf8').matchAll(/\bname="(\w+)"/g)].map((match) => match[1]!),
  );
  return [...new Set(names)].sort();
}
