import { MAX_APPS_PER_TENANT } from '../../../apps/changes/app-maximum.js';
import type { AddressSettings } from '../../../apps/settings/app-config.rules.js';
import { setImmediate as others } from 'node:timers/promises';
import { type InputFault, InvalidInput } from '../../../common/validation/invalid-input.js';
import { readInput } from '../../../common/validation/read-input.js';
import { DocumentCollector } from './document-collector.js';
import type { ImportDocument } from './import-document.js';
import { AppImport, ImportedApp, ImportedUser, TenantImport } from './import.dto.js';

type Loc = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

/** Number of users that are checked before other requests get their turn: a few milliseconds. */
const SLICE = 100;
/** Maximum number of reported faults. */
const MAX_FAULTS = 100;
const MAX_USERS = 200_000;

/**
 * Reads the body of an import, or refuses it with the position of every fault. It reads in slices, because checking ten
 * thousand users at once would block all other requests of the process.
 */
export class DocumentReader {
  private readonly faults: InputFault[] = [];
  private readonly collector: DocumentCollector;
  private read = 0;

  private constructor(settings: AddressSettings) {
    this.collector = new DocumentCollector(settings);
  }

  /** @throws InvalidInput */
  static async readApp(
    body: unknown,
    settings: AddressSettings,
  ): Promise<{ document: ImportDocument; input: AppImport }> {
    const reader = new DocumentReader(settings);
    const fields = objectOf(body);
    const { input, faults } = readInput(AppImport, { ...fields, users: undefined }, ['body']);
    reader.note(faults);
    await reader.readAppFields(fields['app'], ['body', 'app'], fields['users'], ['body', 'users']);
    if (input.preserve_bundle_id === true && input.app?.bundle_id === undefined)
      reader.note([{ loc: ['body', 'app', 'bundle_id'], msg: 'Field required', type: 'missing' }]);
    reader.stop();
    return { document: reader.collector.finish(null), input };
  }

  /** @throws InvalidInput */
  static async readTenant(body: unknown, settings: AddressSettings): Promise<ImportDocument> {
    const reader = new DocumentReader(settings);
    const fields = objectOf(body);
    const { input, faults } = readInput(TenantImport, { ...fields, apps: undefined }, ['body']);
    reader.note(faults);
    const apps = reader.list(fields['apps'], ['body', 'apps'], MAX_APPS_PER_TENANT);
    for (const [index, app] of apps.entries()) {
      const loc = ['body', 'apps', index];
      const users = typeof app === 'object' && app !== null ? (app as Fields)['users'] : undefined;
      await reader.readAppFields(app, loc, users, [...loc, 'users']);
    }
    reader.stop();
    return reader.collector.finish(input.tenant);
  }

  private async readAppFields(app: unknown, loc: Loc, users: unknown, usersLoc: Loc): Promise<void> {
    const isObject = typeof app === 'object' && app !== null && !Array.isArray(app);
    const { input, faults } = readInput(ImportedApp, isObject ? { ...app, users: undefined } : app, loc);
    if (app !== undefined) this.note(faults); // a missing one is reported with the body
    if (faults.length === 0) this.note(this.collector.addApp(input, loc));
    for (const [index, user] of this.list(users, usersLoc, MAX_USERS).entries()) {
      await this.pause();
      const here = [...usersLoc, index];
      const one = readInput(ImportedUser, user, here);
      this.note(one.faults);
      // Roles can be checked only if the app itself is valid.
      if (faults.length === 0 && one.faults.length === 0) this.note(this.collector.addUser(one.input, here));
    }
  }

  private list(value: unknown, loc: Loc, most: number): readonly unknown[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) this.note([{ loc, msg: 'Input should be a valid list', type: 'list_type' }]);
    else if (value.length > most)
      this.note([{ loc, msg: `List should have at most ${most} items`, type: 'value_error' }]);
    else return value;
    return [];
  }

  private async pause(): Promise<void> {
    if (++this.read % SLICE === 0) await others();
  }

  /** A fault that two checks find is reported once. */
  private note(faults: readonly InputFault[]): void {
    if (faults.length === 0) return;
    const places = new Set(this.faults.map((fault) => JSON.stringify(fault)));
    this.faults.push(...faults.filter((fault) => !places.has(JSON.stringify(fault))));
    if (this.faults.length >= MAX_FAULTS) this.stop();
  }

  private stop(): void {
    if (this.faults.length > 0) throw new InvalidInput(this.faults.slice(0, MAX_FAULTS));
  }
}

function objectOf(body: unknown): Fields {
  if (body === undefined) throw new InvalidInput([{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidInput([{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }]);
  return body as Fields;
}
