import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requireRecord } from '../require-records.ts'
import { REACTIONS } from '../schema.ts'
import { insertRecordReaction, removeRecordReaction } from './store-record-reactions.ts'

/** Adds a reaction or removes it. Used by the website, where one button does both. */
export const toggleIssueReaction = operation({
  name: 'toggle_issue_reaction',
  summary: 'Put your reaction on an issue or pull request itself, or take it back.',
  route: null,
  toolset: 'issues',
  access: writesRepo('read', { scope: 'issues:write' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber, content: OneOf(REACTIONS) }),
  output: Type.Object({ given: Type.Boolean() }),

  handler: ({ repo, caller, write }, { number, content }) =>
    write((tx) => {
      requireRecord(tx.db, repo.id, number)
      const taken = removeRecordReaction(tx, repo.id, number, content, caller.id)
      if (!taken) insertRecordReaction(tx, repo.id, number, content, caller.id)
      return { given: !taken }
    }),
})
