import { Injectable } from '@nestjs/common';
import { TransferredLinks } from './transferred-links.js';

/** There are no linked accounts in this build: none go out, and none are made. */
@Injectable()
export class NoLinksYet extends TransferredLinks {
  override async listOf(): Promise<ReadonlyMap<string, never[]>> {
    return new Map();
  }

  override async add(): Promise<void> {}
}
