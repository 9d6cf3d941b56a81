import type { Release } from './schema.ts'

/** Drafted notes contain pull request titles, which anyone may have written. */
export const listUntrustedNotes = ({ notes_generated }: Release, at = ''): string[] =>
  notes_generated ? [`${at}/body`] : []
