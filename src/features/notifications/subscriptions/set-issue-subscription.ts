import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { findRecord } from '#features/issues/index.ts'
import { notFound } from '#lib/errors.ts'
import { issueSubscription } from './issue-subscription.ts'
import { IssueSubscription } from '../schema.ts'
import { putRecordSubscription } from './store-subscriptions.ts'

export const setIssueSubscription = operation({
  name: 'set_issue_subscription',
  summary:
    'Choose whether you hear of an issue or pull request. You still do when somebody mentions, assigns or asks you. For people.',
  keywords: [
    'subscribe to an issue',
    'unsubscribe from an issue',
    'mute an issue',
    'follow an issue',
    'unfollow',
    'mute a thread',
    'noisy issue',
  ],
  route: 'PUT /repos/{owner}/{name}/issues/{number}/subscription',
  toolset: 'issues',
  access: writesRepoAsPerson('read', {
    scope: 'user:write',
    whileArchived: true,
    whileUnconfirmed: true,
  }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, number: RecordNumber, subscribed: Type.Boolean() }),
  output: IssueSubscription,

  handler: ({ repo, caller, write }, { number, subscribed }) =>
    write((tx) => {
      if (!findRecord(tx.db, repo.id, number))
        throw notFound(`the issue or pull request #${number}`)
      putRecordSubscription(tx, repo.id, number, caller.id, subscribed)
      return issueSubscription(tx.db, repo, number, caller.id)
    }),
})
