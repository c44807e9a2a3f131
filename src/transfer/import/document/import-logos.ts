import { Injectable } from '@nestjs/common';
import { APP_PICTURES, type PictureColumn, type Pictures } from '../../../apps/settings/app-pictures.js';
import { LogoImages, type PictureSender } from '../../../apps/logo/logo-images.js';
import { LogoTooLarge, UnsupportedImageType } from '../../../apps/logo/logo.errors.js';
import { type InputFault, InvalidInput } from '../../../common/validation/invalid-input.js';
import type { ImportDocument } from './import-document.js';

/** Logos and favicons of a document, converted like an upload. */
@Injectable()
export class ImportLogos {
  constructor(private readonly images: LogoImages) {}

  /**
   * Converted one after the other, and before the transaction, because each is decoded in a separate process.
   * @param locOf position in the body of the app with an index
   * @throws InvalidInput, ServiceUnavailable
   */
  async normalize(
    sender: PictureSender,
    document: ImportDocument,
    locOf: (index: number) => readonly (string | number)[],
  ): Promise<ImportDocument> {
    const known = new Map<string, string>();
    const faults: InputFault[] = [];
    for (const [index, { pictures }] of document.apps.entries())
      for (const { column, field, side } of Object.values(APP_PICTURES)) {
        const given = pictures[column];
        if (given === null || known.has(keyOf(given, side))) continue;
        try {
          known.set(keyOf(given, side), await this.images.normalizeDataUri(sender, given, side));
        } catch (error) {
          if (!(error instanceof UnsupportedImageType || error instanceof LogoTooLarge)) throw error;
          const loc = [...locOf(index), 'config', 'branding', field];
          faults.push({ loc, msg: error.message, type: 'value_error' });
        }
      }
    if (faults.length > 0) throw new InvalidInput(faults);
    const kept = (pictures: Pictures): Pictures => {
      const entries = Object.values(APP_PICTURES).map(({ column, side }): [PictureColumn, string | null] => {
        const given = pictures[column];
        return [column, given === null ? null : known.get(keyOf(given, side))!];
      });
      return Object.fromEntries(entries) as unknown as Pictures;
    };
    return { ...document, apps: document.apps.map((app) => ({ ...app, pictures: kept(app.pictures) })) };
  }
}

/** The same picture has different sizes for different purposes. */
function keyOf(picture: string, side: number): string {
  return `${side} ${picture}`;
}
