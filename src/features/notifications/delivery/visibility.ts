/** Who may be notified: people who are not suspended and can read the repository now. */
import { reaches, type Role, type UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { factsOf, repoById, type RepoRow } from '#features/repos/index.ts'

/** The role by which a person reads a repository; null for who cannot. */
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

/** Whether a person maintains a repository. */
export function isMaintainer(hearth: Hearth, repo: RepoRow, user_id: string): boolean {
  const person = userCaller(hearth.db, user_id)
  return person !== null && reaches(readingRole(hearth, repo, person), 'maintain')
}
