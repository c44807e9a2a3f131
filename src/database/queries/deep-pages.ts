import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { microsOf, type PageCursor, timeOf } from '../../common/lists/page-cursor.js';
import type { Bind } from './query.js';

/** Where a page begins: behind the row of `after`, or at the top, and `skip` rows on. */
export interface PageStart {
  readonly after: PageCursor | null;
  readonly skip: number;
}

/** Rows on one side of a place of the list. */
export interface PageBoundary {
  readonly side: 'behind' | 'ahead of';
  readonly place: PageCursor;
}

/** The top of a list. */
export const FIRST_PAGE: PageStart = { after: null, skip: 0 };

/** What is asked for: rows, and which page of them. */
export interface PageRequest {
  readonly limit: number;
  /** From 1; where `cursor` is given it says where the page begins, and this only counts. */
  readonly page: number;
  readonly cursor?: PageCursor | null;
}

/** A list that is newest first, of the rows that were asked for. */
export interface DeepList {
  /** The list's first place, and each of those after so many rows. */
  milestones(every: number): Promise<readonly PageCursor[]>;
  /** Rows ahead of a place, counted no further than `most`. */
  countAhead(place: PageCursor, most: number): Promise<number>;
}

interface Taken {
  readonly at: number;
  readonly places: Promise<readonly PageCursor[]>;
}

/** Rows that are skipped without another thought, and rows between two milestones. */
const NEAR_ROWS = 5_000;
const ROWS_PER_MILESTONE = 1_000;
const MAX_ROWS_AHEAD = 10_000;
/** Seconds. */
const MILESTONES_VALID_SECONDS = 60;
const MAX_LISTS = 64;

/**
 * Far pages that are asked for by their number. OFFSET would read all rows before them: so of a long list that a user
 * pages through by number each thousandth place is remembered for a minute, and a page is read from the last one before
 * it. New rows at the top are counted, and shift nothing; where others were added or removed in that minute, pages
 * overlap or miss rows as pages by number always do.
 *
 * Worth its size because every list accepts `page`: without it, one request for the last page of a million rows keeps
 * the database busy for a second.
 */
@Injectable()
export class DeepPages {
  private readonly lists = new Map<string, Taken>();

  constructor(private readonly clock: Clock) {}

  /** @param name of what is listed; the rest of `asked` says which rows the list contains */
  async find(name: string, asked: PageRequest, list: DeepList): Promise<PageStart> {
    const { page, limit, cursor, ...rows } = asked;
    if (cursor) return { after: cursor, skip: 0 };
    const offset = (page - 1) * limit;
    const plain = { after: null, skip: offset };
    if (offset < NEAR_ROWS) return plain;
    const key = JSON.stringify([name, rows]);
    const [first, ...places] = await this.taken(key, list);
    if (!first) return plain;
    const ahead = await list.countAhead(first, MAX_ROWS_AHEAD);
    if (ahead === MAX_ROWS_AHEAD) {
      this.lists.delete(key);
      return plain;
    }
    const passed = Math.min(Math.floor((offset - ahead) / ROWS_PER_MILESTONE), places.length);
    return passed < 1 ? plain : { after: places[passed - 1]!, skip: offset - ahead - passed * ROWS_PER_MILESTONE };
  }

  /** Asked once by all who come meanwhile. */
  private taken(key: string, list: DeepList): Promise<readonly PageCursor[]> {
    const now = this.clock.seconds();
    const known = this.lists.get(key);
    if (known && now - known.at < MILESTONES_VALID_SECONDS) return known.places;
    const places = list.milestones(ROWS_PER_MILESTONE);
    this.lists.delete(key);
    this.lists.set(key, { at: now, places });
    for (const oldest of this.lists.keys()) if (this.lists.size > MAX_LISTS) this.lists.delete(oldest);
    places.catch(() => this.lists.delete(key));
    return places;
  }
}

/** SQL: the places for `DeepList.milestones`, of a list that has `created_at` and `id`. */
export function milestonesOf(list: string, every: string): string {
  return `SELECT id, ${microsOf('created_at')} AS micros FROM (
      SELECT list.created_at, list.id, row_number() OVER (ORDER BY list.created_at DESC, list.id DESC) AS number
      FROM (${list}) AS list) AS numbered
    WHERE number = 1 OR number % ${every} = 0 ORDER BY number`;
}

/** SQL: whether a row lies on that side of the place. */
export function isBeyond({ side, place }: PageBoundary, at: string, id: string, bind: Bind): string {
  const sign = side === 'behind' ? '<' : '>';
  return `(${at}, ${id}) ${sign} (${timeOf(bind(place.micros))}, ${bind(place.id)}::uuid)`;
}
