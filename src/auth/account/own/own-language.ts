import { Injectable } from '@nestjs/common';
import type { Locale } from '../../../common/i18n/locale.rules.js';
import { Messages } from '../../../common/i18n/messages.js';

/** An option of the language field. An empty value means the language of the browser. */
export interface LanguageOption {
  readonly value: string;
  /** The language's own name; null for the language of the browser. */
  readonly label: string | null;
  readonly isChosen: boolean;
}

/** The language that users choose for their pages and e-mails. */
@Injectable()
export class OwnLanguage {
  constructor(private readonly messages: Messages) {}

  /** @returns an empty list if there is no choice: a single language, and none chosen */
  options(chosen: Locale | null): readonly LanguageOption[] {
    if (this.messages.locales.length < 2 && chosen === null) return [];
    const locales = [...new Set([...this.messages.locales, ...(chosen === null ? [] : [chosen])])];
    return [
      { value: '', label: null, isChosen: chosen === null },
      ...locales.map((value) => ({ value, label: nameOf(value), isChosen: value === chosen })),
    ];
  }

  /** The chosen option; null if there is no choice. */
  chosen(chosen: Locale | null): LanguageOption | null {
    return this.options(chosen).find((option) => option.isChosen) ?? null;
  }

  /**
   * @returns the setting for the value of the form's field; the current one if there are no messages in that language
   */
  read(field: string, present: Locale | null): Locale | null {
    if (field === '') return null;
    return this.messages.selectable.includes(field) ? field : present;
  }
}

/** The language's own name: `Deutsch`. */
function nameOf(locale: Locale): string {
  return new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale;
}
