import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { findRecord } from '#features/issues/index.ts'
import { notFound } from '#lib/errors.ts'
import { issueSubscription } from './issue-subscription.ts'
import { IssueSubscription } from '../schema.ts'

export const getIssueSubscription = operation({
  name: 'get_issue_subscription',
  summary: 'Whether you hear of an issue or pull request, for its page.',
  route: null,
  access: { ...readsRepoAs('read', { scope: 'user:read' }), person: true },
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: IssueSubscription,

  handler: ({ db, repo, caller }, { number }) => {
    if (!findRecord(db, repo.id, number)) throw notFound(`the issue or pull request #${number}`)
    return issueSubscription(db, repo, number, caller.id)
  },
})
