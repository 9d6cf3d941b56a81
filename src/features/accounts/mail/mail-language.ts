/**
 * The language of mail: the one that the recipient has chosen for the website, whose translations an
 * extension brings. English for everyone else.
 */
import { extensionPoint } from '#core/extension-points.ts'
import type { Hearth } from '#core/hearth.ts'
import { findLocaleOfAddress } from '../store/user-settings.ts'

/** The translations of one language. Both answer what they were given where there is none. */
export type MailTranslations = {
  /** A text of a mail, with `{name}` for its values. */
  text(english: string): string
  /** A sentence with its values in it, such as the summary of an event. */
  sentence(english: string): string
}

/** Null for a language that the installation does not have. */
export const mailTranslations = extensionPoint<(locale: string) => MailTranslations | null>(
  'accounts.mail translations',
)

export type Say = {
  /** A text in the language of the recipient; each `{name}` becomes its value. */
  (english: string, values?: Readonly<Record<string, string | number>>): string
  /** A sentence of an event in that language. */
  sentence(english: string): string
}

/** What mail to an address is written with. */
export function sayTo(hearth: Hearth, address: string): Say {
  const locale = findLocaleOfAddress(hearth.db, address)
  const known =
    locale === null
      ? null
      : (mailTranslations
          .all(hearth)
          .map((find) => find(locale))
          .find((found) => found !== null) ?? null)
  return Object.assign(
    (english: string, values: Readonly<Record<string, string | number>> = {}): string =>
      (known?.text(english) ?? english).replace(/\{(\w+)\}/g, (place, name: string) =>
        name in values ? String(values[name]) : place,
      ),
    { sentence: (english: string) => known?.sentence(english) ?? english },
  )
}
