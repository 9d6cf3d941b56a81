/** Builds the public record of a branch. */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import {
  commitTime,
  commitPersonLookup,
  titleOf,
  type CommitPersonLookup,
} from '../commits/commit-records.ts'
import { branchOf, branchRef } from '../refs/ref-names.ts'
import type { Branch } from '../schema.ts'
import type { RepoRow } from '../store/repos.ts'
import { pullsOfBranches } from '../store/pulls.ts'
import { readRef, type RefRow } from '../store/refs.ts'

/** The rule types that the protection of the default branch corresponds to. */
const DEFAULT_BRANCH_RULES = ['deletion', 'non_fast_forward', 'pull_request']

export async function branchRecord(
  hearth: Hearth,
  row: RepoRow,
  ref: RefRow,
  people: CommitPersonLookup = commitPersonLookup(hearth),
  pulls: ReadonlyMap<string, number> = pullsOfBranches(hearth.db, row.id, [
    branchOf(ref.name) ?? '',
  ]),
): Promise<Branch> {
  const { db, git } = hearth
  const name = branchOf(ref.name) ?? ''
  const isDefault = name === row.default_branch
  const trunk = readRef(db, row.id, branchRef(row.default_branch))
  const commit = await git.readCommit(row.store, ref.oid)
  if (!commit)
    throw new Error(`the branch ${name} of ${row.id} points at ${ref.oid}, which is not there`)
  const { ahead, behind } =
    isDefault || trunk === null
      ? { ahead: 0, behind: 0 }
      : await git.countAheadBehind(row.store, ref.oid, trunk)
  const isProtected = isDefault && row.protected === 1
  return {
    name,
    commit: {
      sha: commit.oid,
      message: titleOf(commit.message),
      author: people(commit.author),
      date: commitTime(commit.committer.time),
    },
    default: isDefault,
    protected: isProtected,
    ahead,
    behind,
    pull: pulls.get(name) ?? null,
    rules: isProtected ? DEFAULT_BRANCH_RULES : [],
    updated_at: ref.moved_at,
  }
}

export const branchNotFound = (branch: string) =>
  new Refusal('not_found', `there is no branch ${JSON.stringify(branch.slice(0, 200))} here`, {
    field: 'branch',
  })
