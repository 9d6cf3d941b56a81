/** Whom something may be told: people who are let in, and who can read the repository now. */
import { reaches, type Role, type UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { factsOf, repoById, type RepoRow } from '#features/repos/index.ts'

/** The role of a person on a repository, by which they read it; null for who cannot. */
export function readingRole(hearth: Hearth, repo: RepoRow, person: UserCaller): Role | null {
  const facts = person.suspended ? null : factsOf(hearth.db, repo, person)
  if (
    !facts ||
    facts.deleted ||
    (facts.private && (facts.role === null || facts.two_factor_missing))
  )
    return null
  return facts.role ?? 'read'
}

export function canRead(hearth: Hearth, repo_id: string, user_id: string): boolean {
  const repo = repoById(hearth.db, repo_id)
  const person = userCaller(hearth.db, user_id)
  return repo !== null && person !== null && readingRole(hearth, repo, person) !== null
}

/** Whether somebody looks after a repository. */
export function keeps(hearth: Hearth, repo: RepoRow, user_id: string): boolean {
  const person = userCaller(hearth.db, user_id)
  return person !== null && reaches(readingRole(hearth, repo, person), 'maintain')
}
