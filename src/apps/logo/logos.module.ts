import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { OutboundModule } from '../../outbound/outbound.module.js';
import { LogoCopies } from './logo-copies.js';
import { LogoImages } from './logo-images.js';
import { LogoSource } from './logo-source.js';
import { LogosProcessor } from './logos.processor.js';

/** Images: validated, scaled down in a separate process, fetched from the logo address of an app. Owns no table. */
@Module({
  imports: [DiscoveryModule, OutboundModule],
  providers: [LogoCopies, LogoImages, LogoSource, LogosProcessor],
  exports: [LogoCopies, LogoImages, LogoSource],
})
export class LogosModule {}
