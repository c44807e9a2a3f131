import { beforeEach, describe, expect, it } from '@jest/globals';
import { WaitingGroups } from '../../../../src/delivery/engine/waiting-groups.js';

describe('WaitingGroups', () => {
  let groups: WaitingGroups;
  beforeEach(() => {
    groups = new WaitingGroups();
  });

  const yes = () => true;
  /** The next, which has its turn. */
  const turn = (hasRoom: (owner: string) => boolean = yes, mayHavePlace: (group: string) => boolean = yes) => {
    const group = groups.next(hasRoom, mayHavePlace);
    if (group !== null) groups.take(group);
    return group;
  };

  it('gives owners turns, and the groups of each in their order', () => {
    for (const group of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) groups.add(group, group[0]!);
    expect(Array.from({ length: 7 }, () => turn())).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', null]);
  });

  it('gives an owner whose only group waits again its turn after the others', () => {
    groups.add('a1', 'a');
    groups.add('b1', 'b');
    expect(turn()).toBe('a1');
    groups.add('a1', 'a');
    expect([turn(), turn(), turn()]).toEqual(['b1', 'a1', null]);
  });

  it('keeps the turn of a group that is added again', () => {
    for (const group of ['a1', 'a2', 'a1']) groups.add(group, 'a');
    expect([turn(), turn(), turn()]).toEqual(['a1', 'a2', null]);
  });

  it('moves a group to its owner when that is known', () => {
    groups.add('a1', 'a1');
    groups.add('a1', 'a');
    expect(turn((owner) => owner !== 'a')).toBeNull();
    expect([groups.has('a1'), turn(), groups.has('a1')]).toEqual([true, 'a1', false]);
  });

  it('asks once about an owner without room, however many of its groups wait', () => {
    for (let number = 0; number < 10_000; number++) groups.add(`full-${number}`, 'full');
    groups.add('quick-1', 'quick');
    const asked: string[] = [];
    const note = (answer: boolean) => (what: string) => asked.push(what) > 0 && (answer || what !== 'full');
    expect(turn(note(false), note(true))).toBe('quick-1');
    expect(asked).toEqual(['full', 'quick', 'quick-1']);
  });

  it('passes over a group that may have no place', () => {
    groups.add('a1', 'a');
    groups.add('a2', 'a');
    expect(turn(yes, (group) => group !== 'a1')).toBe('a2');
    expect(turn()).toBe('a1');
  });
});
