import type { ImportPlanView } from '../../../transfer/import/plan/plan.view.js';
import { ruleInWords } from '../../previews/effect-words.js';
import { column, type TableColumn } from '../../frame/lists/table-column.js';

/** Number of rows of each kind that the plan shows; the others are counted. */
const SHOWN = 20;

const REASONS: Readonly<Record<string, string>> = {
  email_not_verified: 'An account with this address exists, but the address is not verified. Invite the user.',
  account_elsewhere: 'This account belongs to other tenants. Invite the user.',
};

const SIGN_INS: Readonly<Record<string, string>> = {
  shut_out: 'Cannot sign in afterwards',
  verify_email: 'Must verify the e-mail address first',
  set_up_second_factor: 'Must set up a second factor',
};

const OTHER_HOST = 'Browsers do not offer them here. Their users sign in another way and add new ones.';

const RESOURCE_TAKEN = 'A tenant of this service has it. Add it once that tenant has given it up.';

interface Row {
  readonly name: string;
  readonly note: string;
}

/** A tile of the plan, and its table. */
interface PlanGroup {
  readonly title: string;
  readonly count: number;
  readonly columns: readonly TableColumn[];
  readonly noteLabel: string;
  readonly rows: readonly Row[];
  readonly more: number;
  /** Whether the rows are visible at once, as for items that the import leaves out. */
  readonly isOpen: boolean;
}

/** The effects of an import, conflicts first. */
export function planGroups(plan: ImportPlanView): PlanGroup[] {
  const { create, update, unchanged, passkeys, resources, sign_in: signIns } = plan;
  const rowsOf = (users: ImportPlanView['create']['users']) =>
    users.map(({ email, apps }) => ({ name: email, note: apps.join(', ') }));
  const skipped = unchanged.users.map(({ email, reason }) => ({ name: email, note: REASONS[reason ?? ''] ?? '' }));
  const apps = create.apps.map(({ name, bundle_id: bundleId }) => ({ name, note: bundleId ?? 'A new bundle ID' }));
  return [
    ...signIns.map(signInGroup),
    group('Skipped users', ['E-mail address', 'Reason'], skipped, true),
    group('Apps to create', ['Name', 'Bundle ID'], apps),
    group('Users to create', ['E-mail address', 'Apps'], rowsOf(create.users)),
    group('Existing users to add', ['E-mail address', 'Apps'], rowsOf(update.users)),
    ...(resources ? resourceGroups(resources) : []),
    ...(passkeys ? passkeyGroups(passkeys) : []),
  ];
}

/** Described like on the review page of a change of settings. */
function signInGroup({ effect, count, users }: ImportPlanView['sign_in'][number]): PlanGroup {
  const rows = users.map(({ email, app, rule }) => ({ name: email, note: `${app}: ${ruleInWords(rule)}` }));
  const found = group(SIGN_INS[effect] ?? effect, ['E-mail address', 'App and reason'], rows, true);
  return { ...found, count, more: count - found.rows.length };
}

/** By identifier (RFC 8707). */
function resourceGroups({ create, taken }: NonNullable<ImportPlanView['resources']>): PlanGroup[] {
  const rows = (identifiers: readonly string[], note: string) => identifiers.map((name) => ({ name, note }));
  return [
    group('Skipped protected resources', ['Identifier', 'Reason'], rows(taken, RESOURCE_TAKEN), true),
    group('Protected resources to create', ['Identifier', ''], rows(create, '')),
  ];
}

/** Only their number: the document contains their owners. */
function passkeyGroups({ create, other_host: otherHost }: NonNullable<ImportPlanView['passkeys']>): PlanGroup[] {
  const rows = otherHost > 0 ? [{ name: 'Made for another host', note: OTHER_HOST }] : [];
  return [
    { ...group('Skipped passkeys', ['Passkeys', 'Reason'], rows, true), count: otherHost },
    { ...group('Passkeys to create', ['Passkeys', ''], []), count: create },
  ];
}

function group(title: string, [name, noteLabel]: [string, string], rows: readonly Row[], isOpen = false): PlanGroup {
  const columns = [column(name), column(noteLabel)];
  const more = Math.max(0, rows.length - SHOWN);
  return { title, count: rows.length, columns, noteLabel, rows: rows.slice(0, SHOWN), more, isOpen };
}
