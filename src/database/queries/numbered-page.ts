import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type PageCursor, timeOf } from '../../common/lists/page-cursor.js';
import { type DeepList, type DeepPages, milestonesOf } from './deep-pages.js';

/** A list of rows of one table, ordered by a time and the id, newest first. */
export interface NumberedList<Row extends ObjectLiteral> {
  readonly name: string;
  /** Determines, with `name`, which rows the list contains. */
  readonly filter: object;
  /** Property with the time. */
  readonly time: keyof Row & string;
  /** A new query for all rows, whose alias is `listed`. */
  readonly rows: () => SelectQueryBuilder<Row>;
}

/** A page by its number, read from an index at any depth: see {@link DeepPages}. */
export async function readNumberedPage<Row extends ObjectLiteral>(
  deepPages: DeepPages,
  list: NumberedList<Row>,
  { page, limit }: { readonly page: number; readonly limit: number },
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const { after, skip } = await deepPages.find(list.name, { ...list.filter, page, limit }, deepListOf(list));
  const query = list.rows().orderBy(`listed.${list.time}`, 'DESC').addOrderBy('listed.id', 'DESC');
  if (after) query.andWhere(...beyond(list, '<', after));
  const found = await query
    .offset(skip)
    .limit(limit + 1)
    .getMany();
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}

/** Number of rows, counted up to `most`. */
export async function countUpTo<Row extends ObjectLiteral>(
  rows: SelectQueryBuilder<Row>,
  most: number,
): Promise<number> {
  const [text, values] = rows.select('1').limit(most).getQueryAndParameters();
  const [found] = await rows.connection.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM (${text}) AS counted`,
    values,
  );
  return found!.count;
}

function deepListOf<Row extends ObjectLiteral>(list: NumberedList<Row>): DeepList {
  return {
    milestones: (every) => {
      const rows = list.rows().select(`listed.${list.time}`, 'created_at').addSelect('listed.id', 'id');
      const [text, values] = rows.getQueryAndParameters();
      return rows.connection.query<PageCursor[]>(milestonesOf(text, `$${values.length + 1}`), [...values, every]);
    },
    countAhead: (cursor, most) => countUpTo(list.rows().andWhere(...beyond(list, '>', cursor)), most),
  };
}

function beyond<Row extends ObjectLiteral>(
  { time }: NumberedList<Row>,
  sign: '<' | '>',
  { micros, id }: PageCursor,
): [string, ObjectLiteral] {
  return [`(listed.${time}, listed.id) ${sign} (${timeOf(':micros')}, :id::uuid)`, { micros, id }];
}
