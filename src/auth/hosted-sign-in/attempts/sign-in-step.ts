import type { Text } from '../../../common/i18n/message.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { FormError } from '../../../common/pages/form-error.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { User } from '../../../users/user.entity.js';
import type { EntryVerdict } from '../../entry/entry.rules.js';
import type { AcrVerdict } from '../../entry/requested-acr.rules.js';
import type { ConsentState, NextStep } from './next-step.rules.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';

/** An attempt with all data that a step may need. */
export interface SignInState {
  readonly attempt: SignInAttempt;
  readonly client: RegisteredClient;
  /** Null until a user is identified. */
  readonly user: User | null;
  readonly entry: EntryVerdict | null;
  /** Seconds; null while not identified. */
  readonly credentialsAge: number | null;
  /** What the requested `acr` still requires. */
  readonly acr: AcrVerdict;
  /** Whether the user is asked for consent. */
  readonly consent: ConsentState;
  /** Whether a passkey may be offered after everything else is done. */
  readonly offersPasskey: boolean;
  /** See `Progress`. Absent: false. */
  readonly isUnprompted?: boolean;
}

/** The view of a step and its model, to which the controller adds `action`, `formToken` and the brand. */
export interface StepPage {
  readonly view: string;
  readonly title: Text;
  readonly model: Readonly<Record<string, unknown>>;
}

/** Text fields of a submitted form. */
export type Form = Readonly<Record<string, string>>;

/** The result of a form: continue (ask `nextStep` again), or show the page again. */
export type StepOutcome =
  | { readonly kind: 'continue'; readonly ssoToken?: string | null }
  /** A page between two steps, or the last one in this browser for now, for example "look into your mailbox". */
  | { readonly kind: 'show'; readonly page: StepPage; readonly ssoToken?: string | null }
  | Again;

interface Again {
  readonly kind: 'again';
  readonly status: number;
  readonly errors: readonly FormError[];
  readonly form: Form;
  readonly retryAfter?: number;
}

/** Shows the page again with one error. @param field to which the error belongs; null: the whole form */
export function again(
  status: number,
  field: string | null,
  text: Text,
  { form = {}, code, retryAfter }: { readonly form?: Form; readonly code?: string; readonly retryAfter?: number } = {},
): Again {
  return { kind: 'again', status, form, errors: [{ field, message: text, code }], retryAfter };
}

export interface StepSubmission {
  readonly ctx: RequestContext;
  readonly state: SignInState;
  readonly form: Form;
  /** The SSO cookie of the request. */
  readonly presentedSession: string | null;
}

/**
 * One page of the hosted sign-in. Every provider that extends this class is found automatically by its `name`;
 * `nextStep` decides which one is due.
 */
export abstract class SignInStep {
  abstract readonly name: NextStep;

  abstract page(state: SignInState, form: Form, errors: readonly FormError[]): StepPage | Promise<StepPage>;

  abstract submit(submission: StepSubmission): Promise<StepOutcome>;
}
