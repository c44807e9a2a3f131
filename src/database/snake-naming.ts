import { DefaultNamingStrategy } from 'typeorm';

/** `createdAt` becomes `created_at`; an explicit name wins. Constraints are always named in the entities. */
export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined, embeddedPrefixes: string[]): string {
    const name = customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [...embeddedPrefixes, name].join('_');
  }
}
