import type { Text } from '../../common/i18n/message.js';
import type { Brand } from '../../common/pages/brand/brand.js';

/** A way to sign in was added, changed or removed. */
export interface ChangedCredential {
  /** A whole sentence, e.g. "A second factor was added to your account." */
  readonly what: Text;
  readonly when: string;
  readonly ip: Text;
  /** "This was not me", where it was added; null: there is nothing to undo, or another address decides. */
  readonly link: string | null;
}

/** The values of each template besides those of every mail; links are absolute addresses below BASE_URL. */
export interface MailModels {
  'verify-email': { readonly link: string };
  'reset-password': { readonly link: string };
  'magic-link': { readonly link: string };
  /** The first password of an account. */
  'password-set': { readonly when: string; readonly ip: Text };
  'password-changed': { readonly when: string; readonly ip: Text };
  'second-factor-changed': ChangedCredential;
  /** `wait` is a time in words, e.g. "15 minutes". */
  'second-factor-locked': {
    readonly tries: number;
    readonly wait: Text;
    readonly when: string;
    readonly ip: Text;
  };
  'passkey-changed': ChangedCredential;
  /** Someone with one factor says that all passkeys are lost. */
  'passkey-recovery': { readonly days: number; readonly link: string; readonly when: string; readonly ip: Text };
  /** `code` is for the account page. The reader may be another person than the user who asked. */
  'email-change-code': { readonly code: string };
  /** To the old address, as is the next one. */
  'email-change-requested': {
    readonly newEmail: string;
    readonly link: string;
    readonly when: string;
    readonly ip: Text;
  };
  'email-changed': { readonly newEmail: string; readonly link: string; readonly when: string; readonly ip: Text };
  /** To the address that the account loses again. */
  'email-change-undone': { readonly when: string; readonly ip: Text };
  /** `due` is a time in words. */
  'account-deletion-requested': { readonly due: string; readonly link: string; readonly ip: Text };
  'account-deletion-tomorrow': { readonly due: string; readonly link: string };
  /** `why` is a whole sentence; null: the user cancelled it. */
  'account-deletion-cancelled': { readonly why: Text | null };
  'account-deleted': Readonly<Record<string, never>>;
  /** `what` is a whole sentence on what the user has to do, `when` a time in words. */
  'scheduled-change': { readonly when: string; readonly what: Text };
  /** The day before. */
  'scheduled-change-tomorrow': { readonly when: string; readonly what: Text };
  /** To those who had one of the two: it does not happen. */
  'scheduled-change-retracted': { readonly when: string };
  /** To the operator who planned it, as is the next one. `numbers` are sentences, one for each effect on users. */
  'scheduled-change-made': { readonly place: string; readonly when: string; readonly numbers: readonly Text[] };
  /** `changed` says of each setting what it was and is. */
  'scheduled-change-failed': {
    readonly place: string;
    readonly when: string;
    readonly why: Text;
    readonly changed: readonly Text[];
  };
  'linked-account-changed': ChangedCredential;
  /** `browser` in words, e.g. "Firefox on Windows". */
  'new-sign-in': { readonly browser: string; readonly when: string; readonly ip: Text };
  /** To the user: they were given authority over `over`. */
  'made-admin': { readonly over: Text; readonly by: Text; readonly when: string };
  /** To the other administrators: `who` was given authority over `over`. */
  'new-admin': { readonly who: Text; readonly over: Text; readonly by: Text; readonly when: string };
  /** The same, where an import gave it to `count` users: these are the first of them, and `more` are not named. */
  'new-admins': {
    readonly count: number;
    readonly names: readonly string[];
    readonly more: number;
    readonly over: Text;
    readonly by: Text;
    readonly when: string;
  };
  /** `code` is in the text as well: an app may ask for it. */
  invite: { readonly link: string; readonly code: string; readonly invitedBy: string | null };
  /** `receiver` is a host, `what` are whole sentences. */
  'webhook-failing': { readonly receiver: string; readonly what: Text; readonly when: string };
  /** To an app's administrators: `person` asks for access. All three texts are cut and contain no links. */
  'access-request': {
    readonly person: string;
    readonly address: string;
    readonly message: string | null;
    readonly link: string;
  };
  /** To the same, once a day: `count` wait, and these are the first of them; `more` are not named. */
  'access-requests': {
    readonly count: number;
    readonly names: readonly string[];
    readonly more: number;
    readonly link: string;
  };
  approved: { readonly link: string | null };
  /** Operators send it to themselves, to see how the mails of an app look. */
  test: Readonly<Record<string, never>>;
}

export type MailTemplate = keyof MailModels;

/** A mail to one user, in the colours of the app on whose behalf it is sent. */
export interface Mail<Template extends MailTemplate = MailTemplate> {
  readonly template: Template;
  /** Only ever an address from the database. */
  readonly to: string;
  readonly brand: Brand;
  /** Support address of the tenant. */
  readonly replyTo: string | null;
  readonly model: MailModels[Template];
  /** How long the link is valid, in words, and until when sending makes sense; null if nothing expires. */
  readonly holdsFor: Text | null;
  /** Language tag of the reader’s own setting; without one the tenant’s default decides. */
  readonly locale?: string | null;
}

/** Whose mail it is, for the mail log. */
export interface MailSubject {
  /** The user with the address; null: it is not known to belong to one. */
  readonly userId: string | null;
  /** The app in whose name it is sent, and whose administrators see it in the log; null: in the name of the service. */
  readonly app: { readonly id: string; readonly tenantId: string } | null;
  /** Where it was caused, if that is not the app's tenant: mails of one tenant do not wait for those of another. */
  readonly tenantId?: string;
  /** The invite that it carries. */
  readonly inviteId?: string;
}
