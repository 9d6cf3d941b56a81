import type { Release } from './schema.ts'

/** Notes that were drafted here hold titles, which anybody may have written. */
export const draftedHere = ({ notes_generated }: Release, at = ''): string[] =>
  notes_generated ? [`${at}/body`] : []
