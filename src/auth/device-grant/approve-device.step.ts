import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { message } from '../../common/i18n/message.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { Transactions } from '../../database/transactions.js';
import { DeviceAuthorizations } from '../../tokens/grants/device/device-authorizations.service.js';
import { nameOfResource } from '../../tokens/protocol/resource.rules.js';
import { DEVICE_DENIED, DEVICE_CODE_USED } from '../hosted-sign-in/pages/device-pages.js';
import { answersFor } from '../hosted-sign-in/pages/shown-user.js';
import { SignInAttemptsRepository } from '../hosted-sign-in/attempts/sign-in-attempts.repository.js';
import {
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../hosted-sign-in/attempts/sign-in-step.js';
import { deviceLocationOf } from '../session/known-browsers/known-browser.rules.js';
import { DeviceSignIns } from '../sign-in/device-sign-ins.js';

/**
 * "Is this your device?": the user compares the code, sees the app and the origin of the request, and allows or denies
 * it (RFC 8628 section 5.4).
 */
@Injectable()
export class ApproveDeviceStep extends SignInStep {
  readonly name = 'approve_device';

  constructor(
    private readonly devices: DeviceAuthorizations,
    private readonly signIns: DeviceSignIns,
    private readonly attempts: SignInAttemptsRepository,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {
    super();
  }

  async page({ attempt, client, user }: SignInState): Promise<StepPage> {
    const device = await this.devices.find(attempt.request.device!);
    if (!device) return DEVICE_CODE_USED;
    const { userAgent, network } = deviceLocationOf({ ip: device.ipAddress, userAgent: device.userAgent });
    return {
      view: 'sign-in/approve-device',
      title: message('sign-in.approve_device.title', { app: client.app.name }),
      model: {
        code: this.devices.userCodeOf(device),
        program: userAgent,
        network,
        api: device.resource === null ? null : nameOfResource(client, device.resource),
        asked: timeInWords(device.createdAt, this.clock.now()),
        signedInAs: user?.email ?? '',
      },
    };
  }

  /** The attempt stores the approval. Its end checks again, like every other, whether the user may enter. */
  async submit({ ctx, state, form }: StepSubmission): Promise<StepOutcome> {
    const { attempt, user, client } = state;
    const device = await this.devices.find(attempt.request.device!);
    if (!user || !device || !answersFor(user, form)) return { kind: 'continue' };
    if (form['answer'] === 'allow') {
      await this.transactions.run((tx) => this.attempts.allowDevice(tx, attempt.id, user.id));
      return { kind: 'continue' };
    }
    await this.transactions.run(async (tx) => {
      if (await this.attempts.finish(tx, attempt)) await this.signIns.deny(tx, ctx, { user, client }, device);
    });
    return { kind: 'show', page: DEVICE_DENIED };
  }
}
