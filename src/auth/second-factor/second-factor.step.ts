import { Injectable } from '@nestjs/common';
import { RateLimited } from '../../rate-limits/rate-limited.js';
import { Identification } from '../sign-in/identification.service.js';
import {
  type Form,
  type FormError,
  SignInStep,
  type SignInState,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../sign-in/sign-in-step.js';
import { actingAs } from '../sign-in-completion.service.js';
import { InvalidTotpCode } from './second-factor.errors.js';
import { placeOf, SecondFactorCheck } from './second-factor-check.service.js';

const FEW = 2;

/** The code of the authenticator app, or a backup code, after whatever first factor. */
@Injectable()
export class SecondFactorStep extends SignInStep {
  readonly name = 'second_factor';

  constructor(
    private readonly checks: SecondFactorCheck,
    private readonly identification: Identification,
  ) {
    super();
  }

  async page({ known, user }: SignInState, _form: Form, errors: readonly FormError[]): Promise<StepPage> {
    const triesLeft = user && fewTries(await this.checks.triesLeft(user));
    return {
      view: 'sign-in/second-factor',
      title: `Second factor – ${known.app.name}`,
      model: { signedInAs: user?.email ?? '', triesLeft, errors },
    };
  }

  async submit({ ctx, state, form, presentedSession }: StepSubmission): Promise<StepOutcome> {
    const { attempt, known, user } = state;
    if (!user) return { kind: 'continue' };
    const code = typedCode(form);
    if (!code) return again(422, 'Enter the six digits that your authenticator app shows.');
    const asUser = actingAs(ctx, user, known);
    try {
      const ssoToken = await this.checks.prove(asUser, user, placeOf(known), code, (tx) =>
        this.identification.strengthen(tx, asUser, attempt, presentedSession),
      );
      return { kind: 'continue', ssoToken };
    } catch (error) {
      return judgeSecondFactorError(error);
    }
  }
}

/** People type codes as their app shows them, in two groups of three. */
export function typedCode(form: Form): string {
  return (form['code'] ?? '').replace(/\s/g, '');
}

/** A sentence for the last tries; a number that frightens nobody who has just begun. */
export function fewTries({ tries, retryAfter }: { tries: number; retryAfter: number }): string | null {
  if (tries > FEW) return null;
  if (tries === 0) return `No tries left. ${waitInWords(retryAfter)}`;
  return tries === 1 ? '1 try left.' : `${tries} tries left.`;
}

/** The refusals that the person can do something about; everything else goes to the error filter. */
export function judgeSecondFactorError(error: unknown): StepOutcome {
  if (error instanceof InvalidTotpCode) {
    return again(401, 'That code is not right, or was used already. Wait for the next one and try again.');
  }
  if (error instanceof RateLimited) {
    return {
      ...again(429, `Too many wrong codes. ${waitInWords(error.extras.retryAfter ?? 60)}`),
      retryAfter: error.extras.retryAfter,
    };
  }
  throw error;
}

function waitInWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `Wait ${minutes <= 1 ? 'a minute' : `${minutes} minutes`}, then try again.`;
}

function again(status: number, message: string): Extract<StepOutcome, { kind: 'again' }> {
  return { kind: 'again', status, form: {}, errors: [{ field: 'code', message }] };
}
