import { Injectable } from '@nestjs/common';
import { asksConsent } from '../../../apps/settings/app-config.rules.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { isSelfRegistered } from '../../../apps/app/app-origin.rules.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { type RequestedAccess, Consents } from '../../../tokens/grants/consent/consents.service.js';
import { DeviceAuthorizations } from '../../../tokens/grants/device/device-authorizations.service.js';
import type { User } from '../../../users/user.entity.js';
import type { EntryVerdict } from '../../entry/entry.rules.js';
import { openConfirmation } from '../authorization-request/authorization-request.js';
import type { ConsentState } from './next-step.rules.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';

/** The access that an attempt asks its user for, and whether the user must be asked for consent. */
@Injectable()
export class ConsentCheck {
  constructor(
    private readonly consents: Consents,
    private readonly devices: DeviceAuthorizations,
    private readonly enrollment: EnrollmentService,
  ) {}

  async judge(
    attempt: SignInAttempt,
    user: User,
    client: RegisteredClient,
    entry: EntryVerdict,
  ): Promise<ConsentState> {
    const { app } = client;
    if (!asksConsent(app) || !(await this.mayConsent(user, client, entry))) return 'none';
    const { request } = attempt;
    if (request.consentDeniedBy === user.id) return 'denied';
    if (request.consentedBy === user.id) return 'none';
    // Always asked for a self-registered client, which no operator has reviewed, for `prompt=consent`, and for a
    // device.
    const isAskedAgain = openConfirmation(request, user.id) === 'consent';
    if (isSelfRegistered(app) || isAskedAgain || request.purpose === 'device') return 'due';
    const requested = await this.accessOf(attempt);
    return requested && (await this.consents.isAnswered(user.id, app.id, requested)) ? 'none' : 'due';
  }

  /** The requested scopes and resource. Null if the device no longer waits. */
  async accessOf({ request }: SignInAttempt): Promise<RequestedAccess | null> {
    if (request.purpose !== 'device') return { scope: request.scope, resource: request.resource ?? null };
    return this.devices.find(request.device!);
  }

  /**
   * Members of the app may consent. At a self-registered client, so may every member of its tenant, who joins it by
   * consenting.
   */
  private async mayConsent(user: User, client: RegisteredClient, entry: EntryVerdict): Promise<boolean> {
    if (entry === 'enter') return true;
    if (entry !== 'not_enrolled' || !isSelfRegistered(client.app)) return false;
    return !(await this.enrollment.readAdmission(user, client)).facts.isOutsider;
  }
}
