import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { auditRepo, requireLiveFamily } from '../lifecycle/preconditions.ts'
import { requireMovesAllowed } from '../refs/move-guard.ts'
import { shortNameProblem, tagRef } from '../refs/ref-names.ts'
import { moveRefs, prepareUpdate } from '../refs/move-refs.ts'
import { resolveCommit } from '../refs/resolve-commit.ts'
import { Ref, Tag } from '../schema.ts'
import { findRef } from '../store/refs.ts'
import { tagRecord } from './tag-record.ts'

export const createTag = operation({
  name: 'create_tag',
  summary:
    'Make a tag (Write) at a branch, tag or commit. With a message it is an annotated tag in your name; without, it only names the commit. Answers the tag.',
  keywords: ['new tag', 'tag a commit', 'mark a version'],
  route: 'POST /repos/{owner}/{name}/tags',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    tag: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The name of the tag, such as v1.0.',
    }),
    target: Ref,
    message: Type.Optional(
      Type.String({ maxLength: 65_536, description: 'What the tag stands for.' }),
    ),
  }),
  output: Tag,
  status: 201,

  handler: async ({ hearth, db, git, repo, caller, now, write }, { tag, target, message = '' }) => {
    const problem = shortNameProblem('tags', tag)
    if (problem) throw invalid('tag', `the name of the tag ${problem}`)
    if (message.includes('\0')) throw invalid('message', 'message cannot hold a zero byte')
    const name = tagRef(tag)
    const taken = () => conflict('already_exists', `the tag ${tag} exists already`)
    if (findRef(db, repo.id, name)) throw taken()
    const commit = await resolveCommit(hearth, repo, target, 'target')
    const text = message.trim()
    const object =
      text === ''
        ? commit
        : await git.createTag(repo.store, {
            object: commit,
            name: tag,
            message: `${text}\n`,
            tagger: commitIdentity(hearth, caller),
          })
    const update = await prepareUpdate(hearth, repo, { name, old: null, new: object })
    const guard = await requireMovesAllowed(hearth, repo.id, caller, [update])
    const made = await tagRecord(hearth, repo, {
      name,
      oid: object,
      peeled: object === commit ? null : commit,
      moved_at: now,
    })
    return write((tx) => {
      const row = requireLiveFamily(tx.db, repo.id)
      if (findRef(tx.db, repo.id, name)) throw taken()
      guard(tx)
      moveRefs(tx, repo, [update])
      auditRepo(tx, 'tag.created', row, { after: { tag, sha: commit } })
      return made
    })
  },
})
