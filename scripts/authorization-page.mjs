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
  'S+': 'service token of the app in question, with the scope that the route asks for',
  'S−': 'service token of that app without the scope',
  'S≠': 'service token of an app of another tenant, with the scope',
  '∅': 'no token, or one that is not good',
};

const RECENT = { '': '', always: 'recent', for_authority: 'recent for authority' };

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
        each.notes.replaceAll(/\s?\(d\)|(?<=\d{3})d\b/g, ''),
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
  return `# Who may do what

<!-- Made by \`npm run matrix\` from the table that the tests run, cell by cell. Change that, then run it again. -->

One line for each route, one column for each kind of caller; the cell is the status of the answer. 2xx and 3xx let through
(lists are cut to what the caller may see), 401 asks for a token, 403 refuses, and 404 says of a person, an invite or a
device outside the caller's authority the same as of one that is not there.

| caller | who |
| --- | --- |
${Object.entries(ACTORS)
  .map(([name, who]) => row([name, who]))
  .join('\n')}

Authority is read from the database at each request, never from the token: what is taken away is gone with the next call.
A token made for an ordinary app carries at most its bearer's authority in that app.

Where the column "sign-in" says \`recent\`, a person must have shown credentials in the last 15 minutes (a refreshed token
keeps the time of its sign-in), else the answer is 403 \`{"error": "reauthentication_required"}\`; "recent for authority":
only where the request makes or unmakes a platform admin, concerns a Console app, or asks for password hashes. The console asks for them on a page.

${[...groups].map(([group, rows]) => section(group, rows)).join('\n\n')}

## Which credential opens which route

Every request here comes from the same person: a platform admin who is also an admin of the app in the path and a member
of another tenant’s app. Only the credential differs. The cell is the answer to a request with an empty body: 401 and 403
refuse, \`sign-in\` leads to a page that asks to sign in, and anything else means that the credential was accepted and the
request was then judged. Where a whole row is the same, the route looks at no credential.

A token made for an app is held by the server of that app, so it never changes a person’s password, second factor, linked
accounts or devices. ID tokens, TOTP sessions, expired and revoked tokens are the same as none everywhere.

${credentialTable()}
`;
}

if (process.argv.includes('--print')) process.stdout.write(page());
else {
  writeFileSync(PAGE, page());
  process.stdout.write(`${fileURLToPath(PAGE)}\n`);
}
