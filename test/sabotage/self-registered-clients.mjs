/** What a client that nobody of the tenant has looked at must not get (docs/decisions/0075). */
const DOCUMENTS = 'test/e2e/tokens/client-documents.spec.ts';
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
  {
    item: 'client documents',
    control: 'documents are taken from hosts that the tenant names',
    file: 'src/apps/client-documents.service.ts',
    out: 'if (!tenant?.isActive || !takesDocumentsOf(tenant.clientDocumentHosts, url.host)) return clientId;',
    into: 'if (!tenant || !takesDocumentsOf) return clientId;',
    tests: [DOCUMENTS],
  },
  {
    item: 'client documents',
    control: 'a host that the tenant takes out ends its clients',
    file: 'src/apps/app-directory.ts',
    out: 'return metadataUrl === null || takesDocumentsOf(',
    into: 'return metadataUrl === null || metadataUrl !== null || takesDocumentsOf(',
    tests: [DOCUMENTS],
  },
  {
    item: 'client documents',
    control: 'a refresh of a client that is no longer taken is refused',
    file: 'src/tokens/clients/client-authenticator.ts',
    out: 'if (found && isSelfRegistered(found.app) && !found.isOpen) throw new InvalidClient();',
    into: 'void isSelfRegistered;',
    tests: [DOCUMENTS],
  },
  {
    item: 'client documents',
    control: 'a document names its own address',
    file: 'src/apps/client-document.rules.ts',
    out: "document['client_id'] !== url || method",
    into: 'method',
    tests: ['test/unit/apps/client-document.rules.spec.ts'],
  },
  {
    item: 'client documents',
    control: 'a tenant has a limited number of clients that have registered themselves',
    file: 'src/apps/document-clients.ts',
    out: '>= MOST_CLIENTS) return null;',
    into: '> MOST_CLIENTS * 2) return null;',
    tests: [DOCUMENTS],
  },
];
