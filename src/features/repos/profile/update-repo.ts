import { writesRepo } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { mustBe, Nullable, RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { repoDefaultBranchChanged, repoUpdated, repoVisibilityChanged } from '../events.ts'
import { auditRepo, requireLive, requireMayChangeVisibility } from '../lifecycle/preconditions.ts'
import { branchRef, shortNameProblem } from '../refs/ref-names.ts'
import { repoRecord } from './repo-record.ts'
import { newGeneration } from '../refs/move-refs.ts'
import { BranchName, Repo } from '../schema.ts'
import { Visibility, wantedPrivacy } from '../visibility.ts'
import { requireRepo, setForks, setRepo, type RepoChange, type RepoRow } from '../store/repos.ts'
import { hasBranches, readRef, setHead } from '../store/refs.ts'

function website(text: string | null): string | null {
  if (text === null || text.trim() === '') return null
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw invalid('website', 'website must be an address that begins with http:// or https://')
  return text.trim()
}

/** Requires an existing branch, or in an empty repository a valid branch name. Throws 422. */
function requireBranch(db: Db, repo_id: string, branch: string): void {
  if (readRef(db, repo_id, branchRef(branch)) !== null) return
  const problem = hasBranches(db, repo_id) ? 'does not exist' : shortNameProblem('heads', branch)
  if (problem) throw invalid('default_branch', `the branch ${JSON.stringify(branch)} ${problem}`)
}

const isUnchanged = (row: RepoRow, column: string, value: unknown): boolean =>
  row[column as keyof RepoRow] ===
  (typeof value === 'boolean'
    ? Number(value)
    : Array.isArray(value)
      ? JSON.stringify(value)
      : value)

export const updateRepo = operation({
  name: 'update_repo',
  summary:
    'Change a repository: description, website, topics and whether the default branch is protected (Maintain); default branch and visibility (Admin). Only what is given changes.',
  keywords: [
    'default branch',
    'protect main',
    'protect a branch from pushes',
    'protect the default branch',
    'branch protection',
    'description of a repository',
    'topics',
    'website',
  ],
  route: 'PATCH /repos/{owner}/{name}',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('maintain', { scope: 'repo:admin' }),
  input: Type.Object({
    repo: RepoPath,
    description: Type.Optional(
      Nullable(Type.String({ maxLength: 350, description: 'Empty clears it.' })),
    ),
    website: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 255,
          description: 'http:// or https://; empty clears it.',
        }),
      ),
    ),
    topics: Type.Optional(
      Type.Array(
        Type.String({
          minLength: 1,
          maxLength: 50,
          pattern: '^[a-z0-9-]+$',
          ...mustBe('lowercase letters, digits and hyphens'),
          description: 'Lowercase letters, digits, hyphens.',
        }),
        { maxItems: 20 },
      ),
    ),
    default_branch: Type.Optional(BranchName),
    protected: Type.Optional(
      Type.Boolean({
        description: 'The default branch changes only through pull requests.',
      }),
    ),
    private: Type.Optional(Type.Boolean()),
    visibility: Type.Optional(Visibility),
  }),
  output: Repo,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, caller, write }, { default_branch, ...input }) => {
    const isPrivate = wantedPrivacy(input)
    if (default_branch !== undefined || isPrivate !== undefined) repo.require('admin')
    const wanted: RepoChange = {
      description: input.description === undefined ? undefined : input.description?.trim() || null,
      website: input.website === undefined ? undefined : website(input.website),
      topics: input.topics && [...new Set(input.topics)],
      protected: input.protected,
      private: isPrivate,
    }
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      const subject = { workspace_id: row.workspace_id, repo_id: row.id }
      const change: RepoChange = Object.fromEntries(
        Object.entries(wanted).filter(
          ([column, value]) => value !== undefined && !isUnchanged(row, column, value),
        ),
      )
      if (change.private !== undefined) requireMayChangeVisibility(tx.db, repo)
      const changed = Object.keys(change)
      setRepo(tx, row.id, change)
      if (changed.length > 0) tx.append(repoUpdated, subject, { changed })
      if (change.private !== undefined) {
        setForks(tx, row.id, { private: change.private })
        tx.append(repoVisibilityChanged, subject, { private: change.private })
        auditRepo(tx, 'repo.visibility_changed', row, {
          before: { private: !change.private },
          after: { private: change.private },
        })
      }
      if (change.protected !== undefined) {
        auditRepo(tx, 'repo.protection_changed', row, {
          before: { protected: !change.protected },
          after: { protected: change.protected },
        })
      }
      if (default_branch !== undefined && default_branch !== row.default_branch) {
        requireBranch(tx.db, row.id, default_branch)
        setHead(tx, row.id, newGeneration(), default_branch)
        tx.append(repoDefaultBranchChanged, subject, {
          previous: row.default_branch,
          default_branch,
        })
        auditRepo(tx, 'repo.default_branch_changed', row, {
          before: { default_branch: row.default_branch },
          after: { default_branch },
        })
      }
      return repoRecord(hearth, requireRepo(tx.db, row.id), caller)
    })
  },
})
