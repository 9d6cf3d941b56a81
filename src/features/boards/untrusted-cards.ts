/** Which titles of a board untrusted authors wrote. An agent must not follow them. */
import type { Hearth } from '#core/hearth.ts'
import type { Caller } from '#core/caller.ts'
import { untrustedAuthors } from '#features/issues/index.ts'
import type { ProjectBoard } from './schema.ts'

type Distrust = ReturnType<typeof untrustedAuthors>

export function untrustedCards(
  { columns }: ProjectBoard,
  { hearth, caller }: { hearth: Hearth; caller: Caller },
): string[] {
  const byRepo = new Map<string, Distrust>()
  const distrustIn = (full_name: string): Distrust => {
    const known = byRepo.get(full_name)
    if (known) return known
    const repo = hearth.facts.repo(full_name, caller)
    const distrusts = repo ? untrustedAuthors({ hearth, repo }) : () => true
    byRepo.set(full_name, distrusts)
    return distrusts
  }
  return columns.flatMap(({ cards }, column) =>
    cards.flatMap(({ repo, author }, index) =>
      distrustIn(repo)(author) ? [`/columns/${column}/cards/${index}/title`] : [],
    ),
  )
}
