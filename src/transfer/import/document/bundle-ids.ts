import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RESERVED_BUNDLE_ID } from '../../../apps/settings/app-access.rules.js';
import { BundleIdAlreadyExists } from '../../../apps/app/apps.errors.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import { Randomness } from '../../../common/randomness.js';
import { bundleIdFromName, importedBundleId } from './bundle-id.rules.js';
import type { DocumentApp } from './import-document.js';

/**
 * Policy for the bundle ids of a document: `keep` those that are free, `renew` all, or `insist` and fail if one is
 * taken.
 */
export type BundleIdPolicy = 'keep' | 'renew' | 'insist';

export interface ChosenBundleId {
  readonly bundleId: string;
  /** Whether it is the document's own bundle id. */
  readonly isKept: boolean;
}

/** Chooses bundle ids (docs/conventions.md, section 9): never reserved or taken ones. */
@Injectable()
export class BundleIds {
  constructor(
    private readonly apps: AppsService,
    private readonly randomness: Randomness,
  ) {}

  /**
   * In the order of the apps.
   * @throws InsufficientPermissions for the bundle id of a Console app, BundleIdAlreadyExists if the policy is `insist`
   */
  async choose(apps: readonly DocumentApp[], policy: BundleIdPolicy, tx?: EntityManager): Promise<ChosenBundleId[]> {
    const wanted = apps.map((app) => app.bundleId ?? bundleIdFromName(app.name));
    if (wanted.some((each) => RESERVED_BUNDLE_ID.test(each))) throw new InsufficientPermissions();
    const taken = new Set(policy === 'renew' ? wanted : await this.apps.takenBundleIds(wanted, tx));
    if (policy === 'insist' && taken.size > 0) throw new BundleIdAlreadyExists();
    const chosen: ChosenBundleId[] = [];
    for (const [index, bundleId] of wanted.entries()) {
      const isFree = !taken.has(bundleId);
      const made = isFree ? bundleId : await this.makeFree(bundleId, taken, tx);
      taken.add(made);
      chosen.push({ bundleId: made, isKept: isFree && apps[index]!.bundleId !== null });
    }
    return chosen;
  }

  private async makeFree(wanted: string, taken: ReadonlySet<string>, tx?: EntityManager): Promise<string> {
    for (;;) {
      const candidate = importedBundleId(wanted, this.randomness.bytes(4));
      if (!taken.has(candidate) && (await this.apps.takenBundleIds([candidate], tx)).size === 0) return candidate;
    }
  }
}
