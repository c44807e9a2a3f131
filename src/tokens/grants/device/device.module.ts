import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { AuthorizationCodeModule } from '../authorization-code/authorization-code.module.js';
import { DeviceAuthorization } from './device-authorization.entity.js';
import { DeviceAuthorizationsRepository } from './device-authorizations.repository.js';
import { DeviceAuthorizations } from './device-authorizations.service.js';
import { DeviceCodeExchange } from './device-code-exchange.service.js';
import { DeviceGrants } from './device-grants.js';

/** Owns device_authorizations (RFC 8628): the codes of devices without a browser, and their exchange. */
@Module({
  imports: [AuthorizationCodeModule, RateLimitsModule, TypeOrmModule.forFeature([DeviceAuthorization])],
  providers: [DeviceAuthorizations, DeviceAuthorizationsRepository, DeviceCodeExchange, DeviceGrants],
  exports: [DeviceAuthorizations, DeviceAuthorizationsRepository, DeviceCodeExchange],
})
export class DeviceModule {}
