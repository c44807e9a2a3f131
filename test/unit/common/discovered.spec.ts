import { describe, expect, it } from '@jest/globals';
import type { DiscoveryService } from '@nestjs/core';
import { discover, discoverByName } from '../../../src/common/discovered.js';

abstract class Animal {
  constructor(readonly name: string) {}
}
class Dog extends Animal {}
class Cat extends Animal {}

const among = (...instances: unknown[]) =>
  ({ getProviders: () => instances.map((instance) => ({ instance })) }) as unknown as DiscoveryService;

describe('Providers discovered by their base class', () => {
  const [rex, tom] = [new Dog('Rex'), new Cat('Tom')];

  it('are all of that class and no others, each once, however often it is provided', () => {
    expect(discover(among(rex, null, undefined, 'Rex', {}, tom, rex), Animal)).toEqual([rex, tom]);
    expect(discover(among(rex, tom), Cat)).toEqual([tom]);
  });

  it('are found by their names', () => {
    const found = discoverByName(among(rex, tom, rex), Animal, ({ name }) => name);
    expect([found.get('Rex'), found.get('Tom'), found.get('Ada')]).toEqual([rex, tom, undefined]);
  });

  it('with the same name are rejected', () => {
    const clash = among(rex, new Cat('Rex'));
    expect(() => discoverByName(clash, Animal, ({ name }) => name)).toThrow('Two providers extend Animal');
  });
});
