import { Injectable } from '@nestjs/common';
import type { Locale } from '../../../common/i18n/locale.rules.js';
import { Messages } from '../../../common/i18n/messages.js';

/** An option of the language field. An empty value stands for the language of the browser. */
export interface LanguageOption {
  readonly value: string;
  /** The language's name for itself; null for the language of the browser. */
  readonly label: string | null;
  readonly isChosen: boolean;
}

/** The language that users choose for their pages and e-mails. */
@Injectable()
export class OwnLanguage {
  constructor(private readonly messages: Messages) {}

  /** @returns an empty list if there is nothing to choose: the only language, and none chosen */
  options(chosen: Locale | null): readonly LanguageOption[] {
    if (this.messages.locales.length < 2 && chosen === null) return [];
    const locales = [...new Set([...this.messages.locales, ...(chosen === null ? [] : [chosen])])];
    return [
      { value: '', label: null, isChosen: chosen === null },
      ...locales.map((value) => ({ value, label: nameOf(value), isChosen: value === chosen })),
    ];
  }

  /** The option that is chosen; null if there is nothing to choose. */
  chosen(chosen: Locale | null): LanguageOption | null {
    return this.options(chosen).find((option) => option.isChosen) ?? null;
  }

  /** @returns the setting that a form's field stands for; the present one if there are no messages in that language */
  read(field: string, present: Locale | null): Locale | null {
    if (field === '') return null;
    return this.messages.selectable.includes(field) ? field : present;
  }
}

/** As the language calls itself: `Deutsch`. */
function nameOf(locale: Locale): string {
  return new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale;
}
