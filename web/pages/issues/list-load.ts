// What the lists of issues and of pull requests load beside their rows.
import { listAssignees } from '#features/issues/index.ts'
import type { ListOf } from '#core/schema.ts'
import type { Visit } from '../../site.ts'
import { shareChoices } from '../choices.ts'
import { filterOf, type ListFilter } from './list-filter.ts'
import { loadIssueChoices, loadLabels } from './side-load.ts'

export const PER_PAGE = 25

/** The filter and the page number of an address. */
export function listRequest(visit: Visit): { filter: ListFilter; number: number } {
  const query = visit.url.searchParams
  const number = Math.max(1, Number(query.get('page') ?? '1') || 1)
  return { filter: filterOf(query), number: Math.min(1_000_000, Math.trunc(number)) }
}

/** The inputs that both list operations have. `@me` is the visitor. */
export function sharedInputs(filter: ListFilter, visit: Visit) {
  const name = (given: string) => (given === '@me' ? (visit.viewer?.username ?? '@me') : given)
  const { labels, author, assignee, milestone, without, words, sort, direction } = filter
  return {
    sort,
    direction,
    ...(labels.length > 0 ? { label: [...labels] } : {}),
    ...(without.length > 0 ? { without: [...without] } : {}),
    ...(author === undefined ? {} : { author: name(author) }),
    ...(assignee === undefined ? {} : { assignee: name(assignee) }),
    ...(milestone === undefined ? {} : { milestone }),
    ...(words === '' ? {} : { q: words }),
  }
}

/** The choices of the menus, and the labels of the filter and of the rows. */
export async function loadChoices(
  visit: Visit,
  repo: string,
  filter: ListFilter,
  rows: readonly { readonly labels: readonly string[] }[],
) {
  const shown = [...filter.labels, ...rows.flatMap((row) => row.labels)]
  const [labels, choices] = await Promise.all([
    loadLabels(visit, repo, shown),
    loadIssueChoices(visit, repo),
  ])
  const authors = await shareChoices(visit, 'author', choices.people, (page) =>
    visit.call(listAssignees, { repo, ...page }),
  )
  return { labels, ...choices, authors }
}

/** The length of a list. Null when it is longer than is counted. */
export const totalOf = ({ total }: Pick<ListOf<unknown>, 'total'>): number | null => total ?? null
