import { Injectable } from '@nestjs/common';
import { LogoImages } from '../../apps/logo/logo-images.js';
import { LogoTooLarge, UnsupportedImageType } from '../../apps/logo/logo.errors.js';
import { type InputFault, InvalidInput } from '../../common/validation/invalid-input.js';
import type { ImportDocument } from './import-document.js';

/** Logos of a document, in the form in which an upload is kept. */
@Injectable()
export class ImportLogos {
  constructor(private readonly images: LogoImages) {}

  /**
   * One after the other, and before the transaction: each is decoded in a process of its own.
   * @param locOf the position in the body of the app with an index
   * @throws InvalidInput, ServiceUnavailable
   */
  async normalize(
    document: ImportDocument,
    locOf: (index: number) => readonly (string | number)[],
  ): Promise<ImportDocument> {
    const known = new Map<string, string>();
    const faults: InputFault[] = [];
    for (const [index, { logoData }] of document.apps.entries()) {
      if (logoData === null || known.has(logoData)) continue;
      try {
        known.set(logoData, await this.images.normalizeDataUri(logoData));
      } catch (error) {
        if (!(error instanceof UnsupportedImageType || error instanceof LogoTooLarge)) throw error;
        const loc = [...locOf(index), 'config', 'branding', 'logo_data'];
        faults.push({ loc, msg: error.message, type: 'value_error' });
      }
    }
    if (faults.length > 0) throw new InvalidInput(faults);
    const logoOf = (given: string | null) => (given === null ? null : known.get(given)!);
    return { ...document, apps: document.apps.map((app) => ({ ...app, logoData: logoOf(app.logoData) })) };
  }
}
