import { DEFAULT_BRANDING, DEFAULT_CONFIG } from '../../../apps/app/app-config.js';
import { picturesIn } from '../../../apps/settings/app-pictures.js';
import { type AddressSettings, judgeConfig, mergeConfig } from '../../../apps/settings/app-config.rules.js';
import { isPublicKey } from '../../../auth/credentials/passkeys/stored/cose-key.js';
import { readEmail } from '../../../common/validation/email.rules.js';
import type { InputFault } from '../../../common/validation/invalid-input.js';
import { storablePassword } from '../../../crypto/password-string.js';
import type { DocumentAccount, DocumentApp, DocumentMember, ImportDocument } from './import-document.js';
import type { TransferredPasskeys } from '../../formats/transferred-passkeys.js';
import type { ImportedApp, ImportedPasskeys, ImportedTenant, ImportedUser } from './import.dto.js';

type Loc = readonly (string | number)[];

/** Assembles a document from parts with valid fields, and finds errors that span fields. */
export class DocumentCollector {
  private readonly apps: (DocumentApp & { members: DocumentMember[] })[] = [];
  private readonly accounts = new Map<string, DocumentAccount>();
  private readonly bundleIds = new Set<string>();
  private readonly identities = new Map<string, string>();
  private inThisApp = new Set<string>();

  constructor(private readonly settings: AddressSettings) {}

  /** Users that are added after this belong to this app. */
  addApp(input: ImportedApp, loc: Loc): InputFault[] {
    const merged = mergeConfig({ config: DEFAULT_CONFIG, branding: DEFAULT_BRANDING }, input.config);
    const faults = judgeConfig(merged, this.settings).map((fault): InputFault => ({
      ...fault,
      loc: [...loc, ...fault.loc.slice(1)],
    }));
    if (input.bundle_id !== undefined && this.bundleIds.has(input.bundle_id))
      faults.push(valueError([...loc, 'bundle_id'], 'Another app of the document has the same one'));
    if (input.bundle_id !== undefined) this.bundleIds.add(input.bundle_id);
    this.inThisApp = new Set();
    this.apps.push({
      name: input.name,
      bundleId: input.bundle_id ?? null,
      registrationPolicy: input.registration_policy ?? 'invite',
      isActive: input.is_active ?? true,
      ...merged,
      pictures: picturesIn(input.config?.branding),
      members: [],
    });
    return faults;
  }

  addUser(input: ImportedUser, loc: Loc): InputFault[] {
    const app = this.apps.at(-1)!;
    const emailCanonical = readEmail(input.email)?.canonical;
    if (emailCanonical === undefined) return [valueError([...loc, 'email'], 'value is not a valid email address')];
    const roles = input.roles ?? app.config.auto_assign_roles;
    const faults = roles.flatMap((role, index): InputFault[] =>
      app.config.available_roles.includes(role)
        ? []
        : [{ loc: [...loc, 'roles', index], msg: 'Role is not offered by this app', type: 'enum' }],
    );
    const account = accountOf(input);
    if (!account) faults.push(valueError([...loc, 'password_hash'], 'Not a known password hash, or a too costly one'));
    else faults.push(...this.addAccount(emailCanonical, account, loc));
    faults.push(...this.addIdentities(input, emailCanonical, loc), ...judgePasskeys(input, loc));
    const status = input.status ?? 'active';
    app.members.push({ emailCanonical, roles: [...new Set(['user', ...roles])], status });
    return faults;
  }

  finish(tenant: ImportedTenant | null): ImportDocument {
    return { tenant, apps: this.apps, accounts: this.accounts };
  }

  /** An identity can be linked to one account only. */
  private addIdentities(input: ImportedUser, key: string, loc: Loc): InputFault[] {
    return (input.linked_accounts ?? []).flatMap(({ provider, provider_user_id }, index) => {
      const identity = `${provider} ${provider_user_id}`;
      const owner = this.identities.get(identity) ?? key;
      this.identities.set(identity, owner);
      return owner === key ? [] : [valueError([...loc, 'linked_accounts', index], 'Another address has it as well')];
    });
  }

  private addAccount(key: string, account: DocumentAccount, loc: Loc): InputFault[] {
    if (this.inThisApp.has(key)) return [valueError([...loc, 'email'], 'The same address is in this list twice')];
    this.inThisApp.add(key);
    const known = this.accounts.get(key);
    if (!known) this.accounts.set(key, account);
    else if (JSON.stringify(known) !== JSON.stringify(account))
      return [valueError(loc, 'Says other things of the same address than an app before')];
    return [];
  }
}

/** Accepts keys of the algorithms that browsers are asked for. */
function judgePasskeys({ passkeys }: ImportedUser, loc: Loc): InputFault[] {
  return (passkeys?.credentials ?? []).flatMap(({ public_key: key }, index) =>
    isPublicKey(Buffer.from(key, 'base64url'))
      ? []
      : [valueError([...loc, 'passkeys', 'credentials', index, 'public_key'], 'Not a key for ES256, EdDSA or RS256')],
  );
}

function passkeysOf({ user_handle, credentials }: ImportedPasskeys): TransferredPasskeys {
  return { user_handle, credentials: credentials.map((each) => ({ ...each, name: each.name ?? null })) };
}

function accountOf(input: ImportedUser): DocumentAccount | null {
  const given = input.password_hash ?? null;
  const passwordHash = given === null ? null : storablePassword(given);
  if (given !== null && passwordHash === null) return null;
  return {
    email: input.email.trim(),
    displayName: input.display_name,
    emailVerified: input.email_verified ?? false,
    passwordHash,
    links: (input.linked_accounts ?? []).map(({ provider, provider_user_id, email }) => ({
      provider,
      provider_user_id,
      email: email ?? null,
    })),
    passkeys: input.passkeys ? passkeysOf(input.passkeys) : null,
  };
}

function valueError(loc: Loc, msg: string): InputFault {
  return { loc, msg, type: 'value_error' };
}
