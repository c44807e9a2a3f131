/**
 * Says where a module keeps sealed values, so that `secret-key rotate` finds them. Any provider that extends this class
 * is found by itself in the command line's process: its module must be imported in `cli.module.ts`. It only tells; the
 * rotation reads and writes.
 *
 *     @Injectable()
 *     export class SealedTotpSecrets extends SealedColumn {
 *       readonly table = 'second_factors';
 *       readonly key = 'user_id';
 *       readonly column = 'sealed_secret';
 *
 *       rowOf(userId: string): string {
 *         return totpSecretOf(userId); // the same function that names the row when it is sealed and opened
 *       }
 *     }
 */
export abstract class SealedColumn {
  abstract readonly table: string;
  /** The column that identifies the row: unique, not null. */
  abstract readonly key: string;
  abstract readonly column: string;
  /** Where the column is jsonb: the member at its top that holds the sealed text. */
  readonly member: string | null = null;
  /** SQL of what {@link rowOf} is given; by default the key. */
  readonly reference: string | null = null;
  /** SQL that picks the rows, where others hold something else. */
  readonly where: string | null = null;

  /** The additional data under which the value was sealed. */
  abstract rowOf(reference: string): string;
}
