/** The translations of mail, which the feature of accounts asks for by the recipient's language. */
import type { MailTranslations } from '#features/accounts/index.ts'
import { toLocale } from './locale.ts'
import { catalogueOf } from './locales/index.ts'

/** Null for English and for languages that are not here. */
export function translationsOfMail(language: string): MailTranslations | null {
  const locale = toLocale(language)
  if (locale === null || locale === 'en') return null
  const catalogue = catalogueOf(locale)
  return {
    text: (english) => catalogue.mail(english),
    sentence: (english) => catalogue.message(english),
  }
}
