import { readsRepo } from '#core/access.ts'
import { findEvents } from '#core/events.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { titleOf } from '#features/repos/index.ts'
import { listTitles } from './store.ts'

const MAX_EVENTS = 100

export const listEventTitles = operation({
  name: 'list_event_titles',
  summary:
    'The titles of what events of a repository are about: issues, pull requests and pushed commits; for the pages of activity.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    events: Type.Array(Type.String({ maxLength: 60 }), { maxItems: MAX_EVENTS }),
  }),
  output: Type.Object({
    items: Type.Array(Type.Object({ id: Type.String(), title: Type.String() })),
  }),

  handler: async ({ db, git, repo }, { events }) => {
    const rows = findEvents(db, events).filter(({ repo_id }) => repo_id === repo.id)
    const numbers = rows.flatMap(({ data: { number } }) =>
      typeof number === 'number' ? [number] : [],
    )
    const titles = new Map(
      listTitles(db, repo.id, [...new Set(numbers)]).map(({ number, title }) => [number, title]),
    )
    const items = await Promise.all(
      rows.map(async ({ id, type, data: { number, after, deleted } }) => {
        if (typeof number === 'number') return { id, title: titles.get(number) ?? '' }
        if (type !== 'git.push' || typeof after !== 'string' || deleted === true)
          return { id, title: '' }
        const commit = await git.readCommit(repo.store, after)
        return { id, title: commit === null ? '' : titleOf(commit.message) }
      }),
    )
    return { items: items.filter(({ title }) => title !== '') }
  },
})
