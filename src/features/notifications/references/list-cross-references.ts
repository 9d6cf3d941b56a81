import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import { factsOf, repoById, viewerRole } from '#features/repos/index.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { CrossReference } from '../schema.ts'
import { listReferences } from './store-references.ts'

/** References in the response. */
const MAX_REFERENCES = 100

/** The full name of a repository that the caller may read, else null. */
function readableName(hearth: Hearth, repo_id: string, caller: Caller): string | null {
  const row = repoById(hearth.db, repo_id)
  const facts = row && factsOf(hearth.db, row, caller)
  if (!facts || facts.deleted) return null
  if (!facts.private) return facts.full_name
  return facts.two_factor_missing || viewerRole(facts, caller) === null ? null : facts.full_name
}

export const listCrossReferences = operation({
  name: 'list_cross_references',
  summary:
    'Where an issue, a pull request (its number) or a commit (its id) is mentioned, oldest first, as far as you may see; for its page.',
  route: null,
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    target: Type.String({ pattern: '^([1-9][0-9]{0,9}|[0-9a-f]{40}|[0-9a-f]{64})$' }),
  }),
  output: Type.Object({ items: Type.Array(CrossReference) }),

  handler: ({ hearth, db, repo, caller }, { target }) => {
    const names = new Map<string, string | null>()
    const nameOf = (id: string): string | null => {
      let name = names.get(id)
      if (name === undefined) names.set(id, (name = readableName(hearth, id, caller)))
      return name
    }
    return {
      items: listReferences(db, repo.id, target, MAX_REFERENCES).flatMap(
        (row): CrossReference[] => {
          const full_name = nameOf(row.repo_id)
          if (full_name === null) return []
          const at = row.text_id === 'body' ? '' : `#${row.text_id}`
          return [
            {
              repo: full_name,
              number: row.number,
              kind: row.kind,
              title: row.title,
              open: row.open === 1,
              actor: actorOf(hearth, row.actor_id),
              html_url: `${hearth.settings.site_url}/${full_name}/${row.kind === 'pull' ? 'pull' : 'issues'}/${row.number}${at}`,
              created_at: row.created_at,
            },
          ]
        },
      ),
    }
  },
})
