import { Module } from '@nestjs/common';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { HostedSignInModule } from '../hosted-sign-in/hosted-sign-in.module.js';
import { SessionModule } from '../session/session.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { ApproveDeviceStep } from './approve-device.step.js';
import { DeviceCodes } from './device-codes.js';
import { DeviceForm } from './device-form.js';
import { DevicePages } from './device-pages.js';
import { DeviceController } from './device.controller.js';

/**
 * Owns the pages of the device grant (RFC 8628): where users type the code of a device, and where they compare and
 * approve it. The hosted sign-in of the app is between the two. Owns no table; the codes belong to the tokens module.
 */
@Module({
  imports: [RateLimitsModule, TokensModule, HostedSignInModule, SessionModule, SignInModule],
  controllers: [DeviceController],
  providers: [ApproveDeviceStep, DeviceCodes, DeviceForm, DevicePages],
})
export class DeviceGrantModule {}
