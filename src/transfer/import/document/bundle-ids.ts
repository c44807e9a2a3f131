import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RESERVED_BUNDLE_ID } from '../../../apps/settings/app-access.rules.js';
import { BundleIdAlreadyExists } from '../../../apps/app/apps.errors.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import { Randomness } from '../../../common/randomness.js';
import { bundleIdFromName, importedBundleId } from './bundle-id.rules.js';
import type { DocumentApp } from './import-document.js';

/** What becomes of the bundle ids of a document: `keep` where free, `renew` always, `insist` or fail. */
export type BundleIdPolicy = 'keep' | 'renew' | 'insist';

export interface ChosenBundleId {
  readonly bundleId: string;
  /** It is the document's own. */
  readonly isKept: boolean;
}

/** Chooses bundle ids (docs/conventions.md, section 9): reserved ones never, taken ones neither. */
@Injectable()
export class BundleIds {
  constructor(
    private readonly apps: AppsService,
    private readonly randomness: Randomness,
  ) {}

  /**
   * In the order of the apps.
   * @throws InsufficientPermissions for a Console's, BundleIdAlreadyExists where the policy insists
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
