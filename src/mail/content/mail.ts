import type { Text } from '../../common/i18n/message.js';
import type { Brand } from '../../common/pages/brand/brand.js';

/** A sign-in method was added, changed or removed. */
export interface ChangedCredential {
  /** A complete sentence, for example "A second factor was added to your account." */
  readonly what: Text;
  readonly when: string;
  readonly ip: Text;
  /**
   * Link "Secure my account", if the method was added; null: there is nothing to undo, or the link is sent to another
   * address.
   */
  readonly link: string | null;
}

/** The values of each template, in addition to those of every mail. Links are absolute URLs of the service. */
export interface MailModels {
  'verify-email': { readonly link: string };
  'reset-password': { readonly link: string };
  'magic-link': { readonly link: string };
  /** The first password of an account. */
  'password-set': { readonly when: string; readonly ip: Text };
  'password-changed': { readonly when: string; readonly ip: Text };
  'second-factor-changed': ChangedCredential;
  /** `wait` is a duration as text, for example "15 minutes". */
  'second-factor-locked': {
    readonly tries: number;
    readonly wait: Text;
    readonly when: string;
    readonly ip: Text;
  };
  'passkey-changed': ChangedCredential;
  /** Someone with one factor of the user has reported that all passkeys are lost. */
  'passkey-recovery': { readonly days: number; readonly link: string; readonly when: string; readonly ip: Text };
  /** `code` is for the account page. The reader may be another person than the user who requested it. */
  'email-change-code': { readonly code: string };
  /** This mail and the next one go to the old address. */
  'email-change-requested': {
    readonly newEmail: string;
    readonly link: string;
    readonly when: string;
    readonly ip: Text;
  };
  'email-changed': { readonly newEmail: string; readonly link: string; readonly when: string; readonly ip: Text };
  /** To the address that the account loses again. */
  'email-change-undone': { readonly when: string; readonly ip: Text };
  /** `due` is a time as text. */
  'account-deletion-requested': { readonly due: string; readonly link: string; readonly ip: Text };
  'account-deletion-tomorrow': { readonly due: string; readonly link: string };
  /** `why` is a complete sentence; null: the user cancelled it. */
  'account-deletion-cancelled': { readonly why: Text | null };
  'account-deleted': Readonly<Record<string, never>>;
  /** `what` is a complete sentence on what the user has to do, `when` a time as text. */
  'scheduled-change': { readonly when: string; readonly what: Text };
  /** Sent the day before. */
  'scheduled-change-tomorrow': { readonly when: string; readonly what: Text };
  /** Sent to users who got one of the two mails before: the change is cancelled. */
  'scheduled-change-retracted': { readonly when: string };
  /**
   * This mail and the next one go to the operator who scheduled the change. `numbers` are sentences, one for each
   * effect on users.
   */
  'scheduled-change-made': { readonly place: string; readonly when: string; readonly numbers: readonly Text[] };
  /** `changed` contains the old and the new value of each setting. */
  'scheduled-change-failed': {
    readonly place: string;
    readonly when: string;
    readonly why: Text;
    readonly changed: readonly Text[];
  };
  'linked-account-changed': ChangedCredential;
  /** `browser` as text, for example "Firefox on Windows". */
  'new-sign-in': { readonly browser: string; readonly when: string; readonly ip: Text };
  /** To the user who got authority over `over`. */
  'made-admin': { readonly over: Text; readonly by: Text; readonly when: string };
  /** To the other administrators: `who` got authority over `over`. */
  'new-admin': { readonly who: Text; readonly over: Text; readonly by: Text; readonly when: string };
  /**
   * As `new-admin`, for an import that gave authority to `count` users: lists the first of them, and `more` are not
   * listed.
   */
  'new-admins': {
    readonly count: number;
    readonly names: readonly string[];
    readonly more: number;
    readonly over: Text;
    readonly by: Text;
    readonly when: string;
  };
  /** `code` is in the text as well, because an app may ask for it. */
  invite: { readonly link: string; readonly code: string; readonly invitedBy: string | null };
  /** `receiver` is a host name, `what` are complete sentences. */
  'webhook-failing': { readonly receiver: string; readonly what: Text; readonly when: string };
  /** To an app's administrators: `person` requests access. All three texts are shortened and contain no links. */
  'access-request': {
    readonly person: string;
    readonly address: string;
    readonly message: string | null;
    readonly link: string;
  };
  /**
   * To an app's administrators, once a day: `count` requests are pending; lists the first of them, and `more` are not
   * listed.
   */
  'access-requests': {
    readonly count: number;
    readonly names: readonly string[];
    readonly more: number;
    readonly link: string;
  };
  approved: { readonly link: string | null };
  /** Operators send it to themselves to see how the mails of an app look. */
  test: Readonly<Record<string, never>>;
}

export type MailTemplate = keyof MailModels;

/** A mail to one user, in the branding of the app in whose name it is sent. */
export interface Mail<Template extends MailTemplate = MailTemplate> {
  readonly template: Template;
  /** Always an address from the database. */
  readonly to: string;
  readonly brand: Brand;
  /** Support address of the tenant. */
  readonly replyTo: string | null;
  readonly model: MailModels[Template];
  /** Lifetime of the link as text, which also limits the time for sending; null if nothing expires. */
  readonly holdsFor: Text | null;
  /** Language tag of the reader's own setting; without one, the tenant's default applies. */
  readonly locale?: string | null;
}

/** To whom a mail belongs, for the mail log. */
export interface MailSubject {
  /** The user with the address; null: none is known. */
  readonly userId: string | null;
  /** The app in whose name it is sent, and whose administrators see it in the log; null: the service. */
  readonly app: { readonly id: string; readonly tenantId: string } | null;
  /** The tenant that caused it, if it is not that of the app: mails of one tenant do not wait for those of another. */
  readonly tenantId?: string;
  /** The invite in the mail. */
  readonly inviteId?: string;
}
