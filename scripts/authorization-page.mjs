// Writes docs/authorization.md: who may call what, with which credential, from the tables that the tests run
// (test/e2e/admin/authz-matrix.csv and test/e2e/authorization/credentials.csv).
//   npm run matrix              writes the page
//   npm run matrix -- --print   shows it instead
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const PAGE = new URL('docs/authorization.md', root);
const TABLE = new URL('test/e2e/admin/authz-matrix.csv', root);
const CREDENTIALS = new URL('test/e2e/authorization/credentials.csv', root);
const ACTORS = {
  PA: 'platform admin, with a token for a Console app',
  'TA=': 'tenant admin of the tenant that the object belongs to, with a token for a Console app',
  'TA≠': 'tenant admin of another tenant',
  'AA=': 'app admin (role `admin`) of the app in question',
  'AA≠': 'app admin of another app of the same tenant',
  AM: 'app manager (role `manager`) of the app in question',
  U: 'user of the app without any of these roles',
  'S+': 'service token of the app in question, with the scope that the route requires',
  'S−': 'service token of that app without the scope',
  'S≠': 'service token of an app of another tenant, with the scope',
  '∅': 'no token, or an invalid one',
};

const RECENT = {
  '': '',
  always: 'recent',
  for_authority: 'recent for authority',
  for_settings: 'recent for settings',
  for_codes: 'recent for codes',
};

const NOT_SPECIFIED = /^not in the specification(?:; )?/;

/** Rows as objects by the names of the header. */
function readTable() {
  const text = readFileSync(TABLE, 'utf8');
  const [header, ...lines] = text.trim().split(/\r?\n/).map(cellsOf);
  return lines.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])));
}

function cellsOf(line) {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

/** `200d` is a decision of ours where the specification is silent; the number is what counts for a reader. */
function status(cell) {
  return cell.replace(/^(\d{3})d?/, '$1');
}

function row(cells) {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function section(group, rows) {
  const [, title, remark] = /^([^(]*?)(?: \((.*)\))?$/.exec(group);
  const names = Object.keys(ACTORS);
  return [
    `## ${title}`,
    ...(remark ? ['', `${remark[0].toUpperCase()}${remark.slice(1)}.`] : []),
    '',
    row(['method', 'path', ...names, 'sign-in', 'notes']),
    row(['---', '---', ...names.map(() => '---'), '---', '---']),
    ...rows.map((each) =>
      row([
        each.method,
        each.path,
        ...names.map((name) => status(each[name])),
        RECENT[each.recent],
        each.notes.replace(NOT_SPECIFIED, '').replaceAll(/\s?\(d\)|(?<=\d{3})d\b/g, ''),
      ]),
    ),
  ].join('\n');
}

/** Every route by every kind of credential, as the file has it. */
function credentialTable() {
  const [header, ...lines] = readFileSync(CREDENTIALS, 'utf8').trim().split('\n').map(cellsOf);
  return [row(header), row(header.map(() => '---')), ...lines.map(row)].join('\n');
}

function page() {
  const groups = new Map();
  for (const each of readTable()) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return `# Roles and permissions

<!-- Made by \`npm run matrix\` from the table that the tests run, cell by cell. Change that, then run it again. -->

What each role can do:

- A **platform admin** administers everything. Only platform admins create and import tenants, delete accounts, make
  other platform admins, change the credentials of users, and see rate limits and queues.
- A **tenant admin** administers one tenant: its settings, its admins, all its apps and their members. Tenant admins
  create, import and archive apps, and create users.
- An **app admin** administers one app: its settings, its members and their roles, invites, push and the audit log of
  the app. App admins cannot create or archive apps, and invite users instead of creating them.
- An **app manager** can only create and see invites with the role \`user\`.
- A **service token** belongs to the server of an app. Its scopes decide what it can do in that app: send notifications,
  list users, create users, and create invites with the role \`user\`. With \`apps:read\` and \`apps:write\`, it reads,
  creates and updates the apps of its tenant.

The tables have one line for each route and one column for each kind of caller. A cell contains the status of the
response. 2xx and 3xx mean allowed (lists contain only what the caller may see), 401 means that a token is missing, and
403 means refused. For a user, an invite or a device outside the caller's authority, the response is 404, as for one that
does not exist.

| caller | who |
| --- | --- |
${Object.entries(ACTORS)
  .map(([name, who]) => row([name, who]))
  .join('\n')}

Authority is read from the database at each request, never from the token, so changes apply to the next request. A token
for an ordinary app has at most its user's authority in that app.

The column "sign-in" shows which requests need a sign-in from the last 15 minutes. A refreshed token keeps the time of
its sign-in. If the sign-in is older, the response is 403 \`{"detail": {"error": "reauthentication_required"}}\`. The
console shows a page that asks for a new sign-in.

- **recent**: all requests.
- **recent for authority**: only requests that make or remove a platform admin, concern a Console app, name the first
  admin of a tenant, give the role \`admin\` or \`manager\` of an app (also by an invite), or ask for password hashes.
- **recent for settings**: only requests that change the keys or the Firebase account of an app, change \`client_type\`
  from \`confidential\`, add a redirect URI to an app that is not \`confidential\` (except for loopback addresses) or turn on
  \`device_grant\` of such an app, turn off consent, turn off the second factor (\`require_2fa\`, or another method than the
  passkey for an app that accepts only passkeys), remove the password or the passkey from the sign-in methods, add
  \`admin\` or \`manager\` to \`auto_assign_roles\`, set the policy of an app with such default roles to \`open\`, add
  \`apps:read\` or \`apps:write\` to \`service_scopes\` (also of a new app), change the accepted passkey models, or let users
  remove lost passkeys earlier. The same applies to scheduled changes. Service tokens get 403 for all of these changes
  of an existing app, except for removing a sign-in method; for their own app, also if it is \`confidential\`.
- **recent for codes**: these two routes always answer, but without such a sign-in, the \`code\` of an invite that gives
  authority (\`admin\`, \`manager\`, a Console app) is \`null\`.

${[...groups].map(([group, rows]) => section(group, rows)).join('\n\n')}

## Which credentials each route accepts

Every request in this table comes from the same user: a platform admin who is also an admin of the app in the path and a
member of another tenant’s app. Only the credential differs. A cell contains the status of the response to a request with
an empty body. 401 and 403 mean refused, \`sign-in\` is a redirect to a sign-in page, and anything else means that the
credential was accepted. If all cells of a row are the same, the route checks no credential.

The server of an app has the tokens for that app, so such a token never changes a user’s password, second factor, linked
accounts or devices. If a token of the app is bound to a key (DPoP), the same routes accept it, but only with a proof. ID
tokens, exchanged tokens, TOTP sessions, expired and revoked tokens are never accepted.

${credentialTable()}
`;
}

if (process.argv.includes('--print')) process.stdout.write(page());
else {
  writeFileSync(PAGE, page());
  process.stdout.write(`${fileURLToPath(PAGE)}\n`);
}
