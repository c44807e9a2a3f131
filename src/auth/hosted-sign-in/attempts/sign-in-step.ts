import type { Text } from '../../../common/i18n/message.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { FormError } from '../../../common/pages/form-error.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { User } from '../../../users/user.entity.js';
import type { EntryVerdict } from '../../entry/entry.rules.js';
import type { AcrVerdict } from '../../entry/requested-acr.rules.js';
import type { ConsentState, NextStep } from './next-step.rules.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';

/** An attempt with everything a step may need to know. */
export interface SignInState {
  readonly attempt: SignInAttempt;
  readonly client: RegisteredClient;
  /** Null until a user is identified. */
  readonly user: User | null;
  readonly entry: EntryVerdict | null;
  /** Seconds; null while not identified. */
  readonly credentialsAge: number | null;
  /** What the `acr` of the request still takes. */
  readonly acr: AcrVerdict;
  /** Whether the user is asked what the app may get. */
  readonly consent: ConsentState;
  /** A passkey may be offered once everything else is done. */
  readonly offersPasskey: boolean;
  /** See `Progress`. Absent: false. */
  readonly isUnprompted?: boolean;
}

/** What a step shows: the view and its model, to which the controller adds `action`, `formToken` and the brand. */
export interface StepPage {
  readonly view: string;
  readonly title: Text;
  readonly model: Readonly<Record<string, unknown>>;
}

/** Text fields of a submitted form. */
export type Form = Readonly<Record<string, string>>;

/** The result of a form: continue (ask `nextStep` again), or show the page once more. */
export type StepOutcome =
  | { readonly kind: 'continue'; readonly ssoToken?: string | null }
  /** A page between two steps, or the last one in this browser for now, e.g. "look into your mailbox". */
  | { readonly kind: 'show'; readonly page: StepPage; readonly ssoToken?: string | null }
  | {
      readonly kind: 'again';
      readonly status: number;
      readonly errors: readonly FormError[];
      readonly form: Form;
      readonly retryAfter?: number;
    };

export interface StepSubmission {
  readonly ctx: RequestContext;
  readonly state: SignInState;
  readonly form: Form;
  /** The SSO cookie that came along. */
  readonly presentedSession: string | null;
}

/**
 * One page of the hosted sign-in. Any provider that extends this class is found by itself, by its `name`; which one is
 * due, `nextStep` decides.
 */
export abstract class SignInStep {
  abstract readonly name: NextStep;

  abstract page(state: SignInState, form: Form, errors: readonly FormError[]): StepPage | Promise<StepPage>;

  abstract submit(submission: StepSubmission): Promise<StepOutcome>;
}
