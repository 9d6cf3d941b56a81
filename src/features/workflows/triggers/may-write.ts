import { reaches } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf, userCaller } from '#features/accounts/index.ts'
import { fullNameOf, type RepoRow } from '#features/repos/index.ts'

/** Whether the person behind an actor may write; the forge itself may. */
export function mayWrite(hearth: Hearth, repo: RepoRow, actor_id: string | null): boolean {
  if (actor_id === null) return true
  const actor = actorOf(hearth, actor_id)
  if (actor.kind === 'workspace') return actor.id === repo.workspace_id
  const person = userCaller(hearth.db, actor.on_behalf_of?.id ?? actor.id)
  if (person === null || person.suspended) return false
  const facts = hearth.facts.repo(fullNameOf(hearth.db, repo), person)
  return reaches(facts?.role ?? null, 'write')
}
