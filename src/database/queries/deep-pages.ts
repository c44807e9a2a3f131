import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { microsOf, type PageCursor, timeOf } from '../../common/lists/page-cursor.js';
import type { BindParameter } from './query.js';

/** Start of a page: the row after `after`, or the first row, plus `skip` rows. */
export interface PageStart {
  readonly after: PageCursor | null;
  readonly skip: number;
}

/** The rows on one side of a position in the list. */
export interface PageBoundary {
  readonly side: 'behind' | 'ahead of';
  readonly cursor: PageCursor;
}

/** The start of a list. */
export const FIRST_PAGE: PageStart = { after: null, skip: 0 };

/** The requested page and its number of rows. */
export interface PageRequest {
  readonly limit: number;
  /** From 1. With `cursor`, which determines where the page begins, it is only a number. */
  readonly page: number;
  readonly cursor?: PageCursor | null;
}

/** A list of the requested rows, newest first. */
export interface DeepList {
  /** The positions of the first row and of every `every`-th row after it. */
  milestones(every: number): Promise<readonly PageCursor[]>;
  /** Number of rows before a position, counted up to `most`. */
  countAhead(cursor: PageCursor, most: number): Promise<number>;
}

interface Taken {
  readonly at: number;
  readonly places: Promise<readonly PageCursor[]>;
}

/** Rows up to which OFFSET is used, and rows between two milestones. */
const NEAR_ROWS = 5_000;
const ROWS_PER_MILESTONE = 1_000;
const MAX_ROWS_AHEAD = 10_000;
/** In seconds. */
const MILESTONES_VALID_SECONDS = 60;
const MAX_LISTS = 64;

/**
 * Finds the start of pages that are requested by number. OFFSET would read all rows before the page. Therefore the
 * position of every thousandth row of a long list is remembered for a minute, and a page is read from the last position
 * before it. New rows at the top are counted and shift nothing; if other rows are added or removed in that minute,
 * pages overlap or miss rows, as pages by number always do.
 *
 * Its size is justified because every list accepts `page`: without it, one request for the last page of a million rows
 * keeps the database busy for a second.
 */
@Injectable()
export class DeepPages {
  private readonly lists = new Map<string, Taken>();

  constructor(private readonly clock: Clock) {}

  /** @param name of the list; the other fields of `asked` determine which rows it contains */
  async find(name: string, requested: PageRequest, list: DeepList): Promise<PageStart> {
    const { page, limit, cursor, ...rows } = requested;
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

  /** Concurrent requests share one query. */
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

/** SQL for `DeepList.milestones`, for a list with `created_at` and `id`. */
export function milestonesOf(list: string, every: string): string {
  return `SELECT id, ${microsOf('created_at')} AS micros FROM (
      SELECT list.created_at, list.id, row_number() OVER (ORDER BY list.created_at DESC, list.id DESC) AS number
      FROM (${list}) AS list) AS numbered
    WHERE number = 1 OR number % ${every} = 0 ORDER BY number`;
}

/** SQL condition: the row is on that side of the position. */
export function isBeyond({ side, cursor }: PageBoundary, at: string, id: string, bind: BindParameter): string {
  const sign = side === 'behind' ? '<' : '>';
  return `(${at}, ${id}) ${sign} (${timeOf(bind(cursor.micros))}, ${bind(cursor.id)}::uuid)`;
}
