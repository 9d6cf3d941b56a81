/**
 * Keeps access tokens out of repositories. With `push_protection` a push that adds one is refused before any ref moves. Without it,
 * and for what is too long to look through while somebody waits, a job looks afterwards; a token that it finds is revoked.
 */
import type { Oid } from '#git'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { revokeLeaked } from '#features/accounts/index.ts'
import { fullNameOf } from './facts.ts'
import { auditRepo } from './lifecycle.ts'
import { leaksIn, type Leak, type Range } from './leaks.ts'
import { branchOf, branchRef } from './ref-names.ts'
import { settingsOf } from './settings.ts'
import { repoById, type RepoRow } from './store.ts'
import { readRef } from './store-refs.ts'

/** Commits of one ref that are looked through while the push waits; more are left to the job. */
const MOST_WHILE_WAITING = 200
/** Commits from which the rest of a history is known are at most so many. */
const MOST_HIDDEN = 200

/** A fork of a pull request is held to the settings of the repository it is for. */
const settingsFor = (db: Db, row: RepoRow) => settingsOf((row.parent_id === null ? null : repoById(db, row.parent_id)) ?? row)

/** What was here before: where the moved branches were, and the default branches of the repository and of what it is a fork of. */
export function knownTips(db: Db, row: RepoRow, names: readonly string[]): Oid[] {
  const parent = row.parent_id === null ? null : repoById(db, row.parent_id)
  const trunks = [row, parent].map((repo) => repo && readRef(db, repo.id, branchRef(repo.default_branch)))
  const olds = names.filter((name) => branchOf(name) !== null).map((name) => readRef(db, row.id, name))
  return [...new Set([...trunks, ...olds])].filter((oid) => oid !== null).slice(0, MOST_HIDDEN)
}

export type Scan = { /** Why the push is refused, in one line that does not show the secret. */ readonly refused: string | null; /** Whether a job has to look through it. */ readonly later: boolean }

/** Looks through what a ref gains, as far as that can be done while somebody waits. */
export async function scanBefore(hearth: Pick<Hearth, 'db' | 'git'>, row: RepoRow, range: Range, commits: number): Promise<Scan> {
  const { push_protection, secret_scanning } = settingsFor(hearth.db, row)
  if (!push_protection) return { refused: null, later: secret_scanning }
  for await (const leak of leaksIn(hearth.git, row.store, range, MOST_WHILE_WAITING)) return { refused: refusal(leak), later: false }
  return { refused: null, later: secret_scanning && commits > MOST_WHILE_WAITING }
}

const refusal = ({ path, line, commit }: Leak): string =>
  `${path.replace(/[\x00-\x1f\x7f]/g, '?').slice(0, 300)}:${line} holds an access token (commit ${commit.slice(0, 7)}): take it out of the commit, and revoke it if anyone else has seen it`

/** Looks through what was pushed, and revokes what it finds. */
export const scanPush = job<Range & { repo_id: string }>({
  kind: 'scan_push',
  run: async ({ hearth, signal }, { repo_id, tips, hide }) => {
    const row = repoById(hearth.db, repo_id)
    if (!row) return
    for await (const leak of leaksIn(hearth.git, row.store, { tips, hide })) {
      if (signal.aborted) throw new Error('the process is stopping')
      await writeAs(hearth, null, (tx) => revoke(tx, row, leak))
    }
  },
})

function revoke(tx: Tx, row: RepoRow, { path, line, commit, secret }: Leak): void {
  const token = revokeLeaked(tx, secret, `${fullNameOf(tx.db, row)}, ${path}:${line}`)
  if (token) auditRepo(tx, 'repo.token_found', row, { token_id: token.id, path, line, commit })
}
