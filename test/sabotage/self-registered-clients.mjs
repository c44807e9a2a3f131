/** What a client that nobody of the tenant has looked at must not get (docs/decisions/0075). */
const SPEC = 'test/e2e/authorization/self-registered.spec.ts';

export default [
  {
    item: 'self-registered clients',
    control: 'a client that has registered itself is no app to any route that does not say so',
    file: 'src/apps/app-directory.ts',
    out: 'return client && !isSelfRegistered(client.app) ? client : null;',
    into: 'return client;',
    tests: [SPEC, 'test/e2e/authorization/credentials.spec.ts'],
  },
  {
    item: 'self-registered clients',
    control: 'the settings of a client that has registered itself are its own',
    file: 'src/apps/app-access.rules.ts',
    out: "name !== 'is_active' && value !== undefined",
    into: "name === '' && value !== undefined",
    tests: [SPEC],
  },
  {
    item: 'self-registered clients',
    control: 'what an app is set up with is not for a client that has registered itself',
    file: 'src/apps/apps.service.ts',
    out: 'if (isSelfRegistered(app)) throw new AppRegisteredItself();',
    into: 'void AppRegisteredItself;',
    tests: [SPEC],
  },
  {
    item: 'self-registered clients',
    control: 'the database holds that a client that has registered itself has nothing of its own',
    file: 'src/database/migrations/1764970000000-app-origins.ts',
    out: "CHECK (origin = 'operator' OR (${HAS_NOTHING}))",
    into: 'CHECK (true OR (${HAS_NOTHING}))',
    tests: [SPEC],
  },
];
