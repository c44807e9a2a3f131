import { DefaultNamingStrategy } from 'typeorm';

/** The column of a property: `createdAt` becomes `created_at`. */
export function snakeCase(propertyName: string): string {
  return propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * `createdAt` becomes `created_at`; an explicit name takes precedence. Constraints are always named in the entities.
 */
export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined, embeddedPrefixes: string[]): string {
    const name = customName ?? snakeCase(propertyName);
    return [...embeddedPrefixes, name].join('_');
  }
}
