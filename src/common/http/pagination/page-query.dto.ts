import { QueryWhole } from '../../validation/fields.js';
import { PAGE_ITEMS } from './page-size.js';

const MAX_PAGE = 1_000_000_000;
const WHOLE = 'Default 50 if you send `page`; without either, everything up to 1,000';

/** For `pageOf`. */
export class PageQuery {
  @QueryWhole({ min: 1, max: MAX_PAGE, description: 'Default 1' })
  page?: number;

  @QueryWhole({ min: 1, max: PAGE_ITEMS, description: 'Default 50' })
  limit?: number;
}

/** For `wholeListOrPage`. */
export class WholeListQuery {
  @QueryWhole({ min: 1, max: MAX_PAGE, description: 'Default 1' })
  page?: number;

  @QueryWhole({ min: 1, max: PAGE_ITEMS, description: WHOLE })
  limit?: number;
}
