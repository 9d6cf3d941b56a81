/**
 * Applies suggestions of reviewers: one commit on the head by the caller, with the authors of the
 * suggestions as co-authors. A suggestion names lines of the commit that it was written on. Lines
 * that moved since are followed. A suggestion whose lines changed since is refused, because it
 * would undo newer work.
 */
import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import type { FileChange, Oid } from '#git'
import { actorOf, commitIdentity } from '#features/accounts/index.ts'
import {
  findComment,
  manyLines,
  notBlank,
  refuseSecrets,
  setSuggestionApplied,
  suggestedLines,
  type CommentRow,
} from '#features/issues/index.ts'
import { commitRecord, CommitRecord } from '#features/repos/index.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { isTypeId } from '#core/ids.ts'
import { contextOf } from '../pull-context.ts'
import { moveHeadTo, prepareHeadMove, requireHeadLocation } from './head-location.ts'
import { coAuthors, identityOf, withTrailers } from '../merging/merge-message.ts'
import { requirePull, type PullRow } from '../store-pulls.ts'
import { carryLines, overlap, replaceLines, type Replacement } from './suggestions.ts'

const MAX_FILE_BYTES = 16 * 1024 * 1024
const CommentId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of a comment with a suggestion.',
})

export const applySuggestion = operation({
  name: 'apply_suggestion',
  summary:
    'Commit the suggestion of a line comment to the pull request; with comments, several in one commit. For whoever may push to its head. 409 head_moved when the lines changed since. Answers the commit.',
  keywords: ['accept a suggestion', 'commit a suggested change', "take a reviewer's suggestion"],
  route: 'POST /repos/{owner}/{name}/comments/{id}/apply',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    id: CommentId,
    comments: Type.Optional(
      Type.Array(CommentId, {
        maxItems: 100,
        description: 'Further comments of the same pull request to apply with it.',
      }),
    ),
    message: Type.Optional(
      Type.String({ minLength: 1, maxLength: 65_536, description: 'The message of the commit.' }),
    ),
  }),
  output: CommitRecord,
  status: 201,

  handler: async ({ hearth, db, repo, caller, write }, { id, comments = [], message }) => {
    const rows = [...new Set([id, ...comments])].map((one, at) =>
      requireSuggestion(hearth, repo, one, at === 0 ? 'id' : `comments[${at - 1}]`),
    )
    const [first] = rows
    if (!first) throw new TypeError('there is at least one')
    const other = rows.find(({ number }) => number !== first.number)
    if (other)
      throw invalid(
        'comments',
        `${other.id} is on #${other.number}; apply the suggestions of one pull request at a time`,
      )
    const pull = requirePull(db, repo.id, first.number)
    const context = contextOf(db, repo.id)
    const place = requireHeadLocation(hearth, caller, context, pull, 'code:write')
    if (message !== undefined) refuseSecrets(db, repo.id, 'message', notBlank('message', message))
    const changes = await changesOf(hearth, repo, pull, place.sha, rows)
    const identity = commitIdentity(hearth, caller)
    const suggesters = [...new Set(rows.map(({ author_id }) => author_id))].map((author) =>
      identityOf(hearth, actorOf(hearth, author)),
    )
    const { commit } = await hearth.git.commitFiles(repo.store, {
      parent: place.sha,
      changes,
      message: withTrailers(
        message === undefined ? defaultCommitMessage(rows) : manyLines('message', message),
        coAuthors(identity, suggesters),
      ),
      author: identity,
      committer: identity,
    })
    const move = await prepareHeadMove(hearth, caller, place, commit)
    const made = await hearth.git.readCommit(repo.store, commit)
    if (!made) throw notFound(`the commit ${commit}`)
    const record = commitRecord(
      hearth,
      place.grant,
      made,
      (await hearth.git.diff(repo.store, place.sha, commit, { hunks: false })).totals,
    )
    return write((tx) => {
      for (const { id } of rows) requireSuggestion(tx.hearth, repo, id, 'id')
      moveHeadTo(tx, requirePull(tx.db, repo.id, pull.number), move)
      for (const { id } of rows) setSuggestionApplied(tx, id, commit)
      return record
    })
  },
})

function requireSuggestion({ db }: Hearth, repo: RepoGrant, id: string, field: string): CommentRow {
  const row = isTypeId(id, 'cmt') ? findComment(db, id) : null
  if (row?.repo_id !== repo.id) throw notFound(`the comment ${id}`)
  if (row.path === null || row.line === null || suggestedLines(row.body) === null)
    throw invalid(
      field,
      `${id} suggests nothing: it has no block with the word suggestion, or is on no line`,
    )
  if (row.side === 'old') throw invalid(field, `${id} is on a line that the change takes away`)
  if (row.applied_in !== null)
    throw conflict(
      'already_exists',
      `the suggestion of ${id} was applied in ${row.applied_in.slice(0, 7)}`,
      { commit: row.applied_in },
    )
  if (row.outdated === 1) throw outdatedRefusal(row)
  return row
}

const outdatedRefusal = (row: CommentRow) =>
  conflict(
    'head_moved',
    `the lines of ${row.path} that ${row.id} is about have changed since it was written`,
    { comment: row.id },
  )

function defaultCommitMessage(rows: readonly CommentRow[]): string {
  const paths = [...new Set(rows.map(({ path }) => path))]
  const what = rows.length === 1 ? 'a suggestion' : `${rows.length} suggestions`
  return `Apply ${what} to ${paths.length === 1 ? paths[0] : `${paths.length} files`}`
}

async function changesOf(
  { git }: Hearth,
  { store }: RepoGrant,
  pull: PullRow,
  head: Oid,
  rows: readonly CommentRow[],
): Promise<FileChange[]> {
  const byPath = new Map<string, Replacement[]>()
  for (const row of rows) {
    const { path, line, commit_sha } = row
    const lines = suggestedLines(row.body)
    if (path === null || line === null || commit_sha === null || lines === null)
      throw outdatedRefusal(row)
    const { files } =
      commit_sha === head
        ? { files: [] }
        : await git.diff(store, commit_sha, head, {
            hunks: true,
            context: 0,
            maxLines: 200_000,
            maxBytes: MAX_FILE_BYTES,
          })
    const file =
      files.find((one) => (one.old_path ?? one.path) === path && one.status !== 'added') ?? null
    const place = carryLines(file, { first: row.start_line ?? line, last: line })
    if (!place) throw outdatedRefusal(row)
    const now = file?.path ?? path
    byPath.set(now, [...(byPath.get(now) ?? []), { ...place, lines }])
  }
  const changes: FileChange[] = []
  for (const [path, replacements] of byPath) {
    if (overlap(replacements))
      throw invalid('comments', `two of these suggestions are about the same lines of ${path}`)
    const entry = await git.findEntry(store, head, path)
    const blob =
      entry?.type === 'file' ? await git.readBlob(store, entry.oid, MAX_FILE_BYTES) : null
    if (!blob || blob.size > blob.data.length)
      throw conflict(
        'head_moved',
        `${path} is not a file there any more that could be changed here`,
        { path },
      )
    const data = replaceLines(blob.data, replacements)
    if (!data) throw conflict('head_moved', `${path} does not have these lines any more`, { path })
    if (Buffer.compare(data, blob.data) !== 0) changes.push({ action: 'put', path, data })
  }
  if (changes.length === 0)
    throw invalid(
      'id',
      `the lines are as suggested already, so there is nothing to commit to #${pull.number}`,
    )
  return changes
}
