import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import type { WaitingDevice } from '../../tokens/grants/device/device-authorizations.repository.js';
import { DeviceAuthorizations } from '../../tokens/grants/device/device-authorizations.service.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { actingAs } from '../entry/entry.service.js';
import { deviceLocationOf } from '../session/known-browsers/known-browser.rules.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { type AuthenticatedSignIn, SignInEnding } from './sign-in-ending.service.js';
import { SignInOver } from './sign-in-over.js';

/** Applies the answer of a user to a waiting device (RFC 8628). */
@Injectable()
export class DeviceSignIns {
  constructor(
    private readonly ending: SignInEnding,
    private readonly devices: DeviceAuthorizations,
    private readonly sessions: SsoSessionsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Ends the sign-in like every other one, and opens a separate session for the device. The user sees it on the account
   * page with the place and the program of the device, is mailed about a new browser, and can end it there. It does not
   * end together with the browser in which it was allowed. The value of its cookie is not sent to any browser.
   * @throws EntryRefused, ProofOutdated, SignInOver also if the device no longer waits
   */
  async allow(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    signIn: AuthenticatedSignIn,
    deviceId: string,
  ): Promise<void> {
    const { facts } = await this.ending.giveSession(tx, ctx, held, signIn);
    const device = await this.devices.find(deviceId, tx);
    if (!device) throw new SignInOver();
    const there = { ...ctx, ip: device.ipAddress, userAgent: device.userAgent, browserMark: null };
    const shown = { authTime: signIn.authTime, amr: [...signIn.amr] };
    const { sid } = await this.sessions.open(tx, there, held, shown, null, { by: 'api', deviceId: null });
    if (!(await this.devices.approve(tx, held, deviceId, { ...facts, sid }))) throw new SignInOver();
    await this.record(tx, ctx, 'device.allowed', signIn, device);
  }

  /**
   * Called in the transaction that ends the attempt.
   * @returns whether the device was still waiting
   */
  async deny(
    tx: EntityManager,
    ctx: RequestContext,
    by: Pick<AuthenticatedSignIn, 'user' | 'client'>,
    device: WaitingDevice,
  ): Promise<boolean> {
    if (!(await this.devices.deny(tx, device.id))) return false;
    await this.record(tx, ctx, 'device.denied', by, device);
    return true;
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: 'device.allowed' | 'device.denied',
    { user, client }: Pick<AuthenticatedSignIn, 'user' | 'client'>,
    device: WaitingDevice,
  ): Promise<void> {
    const { userAgent, network } = deviceLocationOf({ ip: device.ipAddress, userAgent: device.userAgent });
    return this.audit.record(tx, actingAs(ctx, user, client), action, {
      userId: user.id,
      tenantId: client.app.tenantId,
      appId: client.app.id,
      outcome: action === 'device.denied' ? 'denied' : 'success',
      metadata: { user_agent: userAgent, network },
    });
  }
}
