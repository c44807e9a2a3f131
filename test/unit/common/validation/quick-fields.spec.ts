import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { readdirSync, readFileSync } from 'node:fs';
import { quickClasses, readQuickly } from '../../../../src/common/validation/quick-fields.js';

type Class = new () => object;

const SRC = new URL('../../../../src/', import.meta.url);

// Every request class: each file that declares fields.
for (const name of readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.ts'))) {
  const file = new URL(name, SRC);
  if (readFileSync(file, 'utf8').includes('validation/fields.js')) await import(file.href);
}

const TEXT_LENGTHS = [0, 1, 2, 3, 35, 64, 128, 256, 257, 512, 513, 1_024, 2_048, 8_192, 8_193, 16_385, 65_536, 65_537];
const UUID = '0191E0A0-7000-7abc-8def-000000000001';
const VALUES: readonly unknown[] = [
  ...[undefined, null, true, 0, 1.5, [], ['a'], {}, { length: 3 }, UUID, UUID.toLowerCase(), `${UUID} `],
  ...['00000000-0000-0000-0000-000000000000', '0191e0a0-7000-fabc-8def-000000000001', 'a b', '2026-01-01', 'EN-gb'],
  ...TEXT_LENGTHS.flatMap((length) => ['a'.repeat(length), '😀'.repeat(Math.ceil(length / 2)), '😀'.repeat(length)]),
];

/** What the libraries make of it; null where they refuse. */
function readByLibraries(type: Class, value: object): object | null {
  const instance = plainToInstance(type, value);
  const errors = validateSync(instance, { whitelist: true, forbidUnknownValues: false });
  return errors.length > 0 ? null : instance;
}

/** Something that each required field takes. */
function wholeBody(type: Class, properties: readonly string[]): Record<string, unknown> {
  const candidates = [undefined, 'ab', UUID];
  return present(
    Object.fromEntries(
      properties.map((property) => [property, candidates.find((value) => !faultOf(type, property, value))]),
    ),
  );
}

/** Parsed JSON and forms hold no `undefined`. */
function present(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function faultOf(type: Class, property: string, value: unknown): boolean {
  const instance = plainToInstance(type, value === undefined ? {} : { [property]: value });
  return validateSync(instance, { whitelist: true, forbidUnknownValues: false }).some(
    (error) => error.property === property,
  );
}

const classes = quickClasses();

describe('Quick reading of request classes', () => {
  it('is used where most requests arrive', () => {
    const names = classes.map(([{ name }]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['TokenRequest', 'RefreshRequest', 'VerifyRequest', 'ExchangeRequest']),
    );
  });

  it.each(classes.map(([type, properties]) => [type.name, type, properties] as const))(
    'of %s accepts only what the libraries accept, and reads the same',
    (_name, type, properties) => {
      const whole = wholeBody(type, properties);
      expect(readQuickly(type, whole)).toEqual(readByLibraries(type, whole));
      for (const property of properties) {
        for (const value of VALUES) {
          const body = present({ ...whole, [property]: value, unknown_field: 'x' });
          const quick = readQuickly(type, body);
          if (quick) expect({ property, read: quick }).toEqual({ property, read: readByLibraries(type, body) });
        }
      }
    },
  );

  it('drops what the class does not know, and reaches no prototype', () => {
    const [type] = classes.find(([{ name }]) => name === 'VerifyRequest')!;
    const body = JSON.parse('{"token":"abc","audience":"def","more":1,"__proto__":{"polluted":true}}') as Record<
      string,
      unknown
    >;
    const read = readQuickly(type, body);
    expect(read).toBeInstanceOf(type);
    expect(Object.keys(read!).sort()).toEqual(['audience', 'token']);
    expect((read as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
