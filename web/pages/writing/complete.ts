/** Completion of names and numbers, for the browser script. */
import { listAssignees, listIssues } from '#features/issues/index.ts'
import { listPulls } from '#features/pulls/index.ts'
import { jump } from '#features/search/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { Resource, Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

const MAX_SUGGESTIONS = 6

type Suggestion = { readonly text: string; readonly detail: string }

async function people(visit: Visit, repo: string, q: string): Promise<Suggestion[]> {
  const { items } = await visit.call(listAssignees, { repo, q, per_page: MAX_SUGGESTIONS })
  return items.map(({ username, name }) => ({ text: `@${username}`, detail: name ?? '' }))
}

async function records(visit: Visit, repo: string, q: string): Promise<Suggestion[]> {
  const numbered = /^\d+$/.test(q)
    ? (await visit.call(jump, { query: `#${q}`, repo })).items
        .filter(({ kind }) => kind === 'issue' || kind === 'pull')
        .map(({ title }) => ({ number: Number(q), title }))
    : []
  const issues = (
    await visit.call(listIssues, {
      repo,
      state: 'all',
      sort: 'updated',
      ...(q === '' || numbered.length > 0 ? {} : { q }),
      per_page: MAX_SUGGESTIONS,
    })
  ).items
  const pulls =
    q === ''
      ? (await visit.call(listPulls, { repo, state: 'all', per_page: MAX_SUGGESTIONS })).items
      : []
  const found = [...numbered, ...(numbered.length > 0 ? [] : [...issues, ...pulls])]
  return found
    .slice(0, MAX_SUGGESTIONS)
    .map(({ number, title }) => ({ text: `#${number}`, detail: title }))
}

export const completions: Resource = {
  path: '/:workspace/:repo/complete',
  async respond(visit) {
    const word = (visit.url.searchParams.get('q') ?? '').slice(0, 60)
    const repo = repoOf(visit)
    try {
      const items = word.startsWith('@')
        ? await people(visit, repo, word.slice(1))
        : word.startsWith('#')
          ? await records(visit, repo, word.slice(1))
          : []
      return Response.json({ items }, { headers: { 'cache-control': 'private, no-store' } })
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invalid') return Response.json({ items: [] })
      throw error
    }
  },
}
