/** What a search found, before it is ordered. */
import { oneLineOf } from './texts.ts'
import { MAX_SUMMARY_CHARS, type ContextItem, type EntityKind } from './schema.ts'
import { projectOf, type Place } from './place.ts'
import { fitOf, scoreOf } from './words.ts'

export type Found = {
  readonly kind: EntityKind
  readonly id: string
  readonly key: string
  readonly title: string
  readonly summary: string
  readonly url: string
  readonly repo: string | null
  readonly project?: string | null
  readonly trusted?: boolean
  readonly citation?: string
  readonly updated_at: string | null
  readonly isOpen?: boolean
}

export function itemOf(place: Place, words: readonly string[], found: Found): ContextItem {
  const summary = oneLineOf(found.summary, MAX_SUMMARY_CHARS)
  const fit = fitOf(words, { key: found.key, title: found.title, summary })
  return {
    kind: found.kind,
    id: found.id,
    key: found.key,
    title: found.title,
    summary,
    url: found.url,
    repo: found.repo,
    project: found.project ?? projectOf(place, found.repo),
    trusted: found.trusted ?? true,
    citation: found.citation ?? found.key,
    score: scoreOf(fit, {
      isOpen: found.isOpen ?? false,
      isOwnRepo: place.repo !== null && found.repo === place.repo,
      updated_at: found.updated_at,
      now_ms: place.now_ms,
    }),
    updated_at: found.updated_at,
  }
}
